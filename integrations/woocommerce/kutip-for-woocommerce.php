<?php
/**
 * Plugin Name: Kutip for WooCommerce
 * Description: Takes payments through your own Kutip: payers pay on Kutip's page, and signed webhooks set the status of orders.
 * Version: 1.0.0
 * Requires at least: 6.4
 * Requires PHP: 7.4
 * Requires Plugins: woocommerce
 * WC requires at least: 8.2
 * License: GPL-2.0-or-later
 * License URI: https://www.gnu.org/licenses/gpl-2.0.html
 * Text Domain: kutip-for-woocommerce
 *
 * @package Kutip\WooCommerce
 */

declare( strict_types=1 );

namespace Kutip\WooCommerce;

defined( 'ABSPATH' ) || exit;

const VERSION = '1.0.0';
const GATEWAY = 'kutip';

foreach ( array( 'amount', 'answer', 'api', 'lock', 'settings', 'signature', 'orders', 'links', 'cancellations', 'refunds', 'webhook' ) as $kutip_file ) {
	require_once __DIR__ . "/includes/class-$kutip_file.php";
}

add_action(
	'before_woocommerce_init',
	static function (): void {
		if ( ! class_exists( '\Automattic\WooCommerce\Utilities\FeaturesUtil' ) ) {
			return;
		}
		foreach ( array( 'custom_order_tables', 'cart_checkout_blocks' ) as $feature ) {
			\Automattic\WooCommerce\Utilities\FeaturesUtil::declare_compatibility( $feature, __FILE__, true );
		}
	}
);

add_action(
	'plugins_loaded',
	static function (): void {
		if ( ! class_exists( '\WC_Payment_Gateway' ) ) {
			return;
		}
		require_once __DIR__ . '/includes/class-gateway.php';
		add_filter(
			'woocommerce_payment_gateways',
			static function ( array $gateways ): array {
				$gateways[] = Gateway::class;
				return $gateways;
			}
		);
	}
);

add_action(
	'woocommerce_blocks_payment_method_type_registration',
	static function ( $registry ): void {
		require_once __DIR__ . '/includes/class-blocks.php';
		$registry->register( new Blocks() );
	}
);

add_action( 'woocommerce_api_' . GATEWAY, array( Webhook::class, 'receive' ) );
add_action( 'kutip_cancel_link', array( Cancellations::class, 'work' ), 10, 5 );
// Every save of an order, also of its status. The bin and deletion have hooks of their own: posts where orders are posts, orders where they have tables.
foreach ( array( 'woocommerce_update_order', 'woocommerce_trash_order', 'trashed_post' ) as $kutip_hook ) {
	add_action( $kutip_hook, array( Cancellations::class, 'look' ) );
}
foreach ( array( 'woocommerce_before_delete_order', 'before_delete_post' ) as $kutip_hook ) {
	add_action( $kutip_hook, array( Cancellations::class, 'before_delete' ) );
}

<?php
/**
 * The payment method in the checkout block.
 *
 * @package Kutip\WooCommerce
 */

declare( strict_types=1 );

namespace Kutip\WooCommerce;

use Automattic\WooCommerce\Blocks\Payments\Integrations\AbstractPaymentMethodType;

/** Registers the script that shows it; the order goes through the gateway as in the classic checkout. */
final class Blocks extends AbstractPaymentMethodType {
	/** @var string */
	protected $name = GATEWAY;

	public function initialize(): void {
		$this->settings = get_option( 'woocommerce_' . GATEWAY . '_settings', array() );
	}

	public function is_active(): bool {
		return 'yes' === $this->get_setting( 'enabled' ) && '' === Settings::problem();
	}

	/** @return string[] */
	public function get_payment_method_script_handles(): array {
		wp_register_script( 'kutip-blocks', plugins_url( 'assets/blocks.js', __DIR__ ), array( 'wc-blocks-registry', 'wc-settings', 'wp-element', 'wp-html-entities' ), VERSION, true );
		return array( 'kutip-blocks' );
	}

	/** @return array<string, mixed> */
	public function get_payment_method_data(): array {
		return array(
			'title'       => $this->get_setting( 'title' ),
			'description' => $this->get_setting( 'description' ),
			'supports'    => array( 'products' ),
		);
	}
}

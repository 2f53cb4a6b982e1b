<?php
/**
 * The payment method.
 *
 * @package Kutip\WooCommerce
 */

declare( strict_types=1 );

namespace Kutip\WooCommerce;

/** What WooCommerce shows and calls. */
final class Gateway extends \WC_Payment_Gateway {
	public function __construct() {
		$this->id                 = GATEWAY;
		$this->method_title       = __( 'Kutip', 'kutip-for-woocommerce' );
		$this->method_description = __( 'Payers pay on the page of your own Kutip. Signed webhooks set the status of orders.', 'kutip-for-woocommerce' );
		$this->has_fields         = false;
		$this->supports           = array( 'products', 'refunds' );
		$this->init_form_fields();
		$this->init_settings();
		$this->title       = (string) $this->get_option( 'title' );
		$this->description = (string) $this->get_option( 'description' );
		add_action( 'woocommerce_update_options_payment_gateways_' . GATEWAY, array( $this, 'process_admin_options' ) );
		add_action( 'woocommerce_thankyou_' . GATEWAY, array( $this, 'thank_you' ) );
	}

	public function init_form_fields(): void {
		$this->form_fields = array(
			'enabled'        => array(
				'title'   => __( 'Enable', 'kutip-for-woocommerce' ),
				'type'    => 'checkbox',
				'label'   => __( 'Let payers pay through Kutip', 'kutip-for-woocommerce' ),
				'default' => 'no',
			),
			'title'          => array(
				'title'   => __( 'Title', 'kutip-for-woocommerce' ),
				'type'    => 'text',
				'default' => __( 'Pay online', 'kutip-for-woocommerce' ),
			),
			'description'    => array(
				'title'   => __( 'Description', 'kutip-for-woocommerce' ),
				'type'    => 'textarea',
				'default' => __( 'You pay on a secure page and come back to the shop.', 'kutip-for-woocommerce' ),
			),
			'address'        => array(
				'title'       => __( 'Address of Kutip', 'kutip-for-woocommerce' ),
				'type'        => 'url',
				'placeholder' => 'https://pay.example.com',
				'default'     => '',
			),
			'api_key'        => array(
				'title'       => __( 'API key', 'kutip-for-woocommerce' ),
				'type'        => 'password',
				'description' => __( 'From Developers → API keys. A key that begins with sk_test_ takes no real money.', 'kutip-for-woocommerce' ),
				'default'     => '',
			),
			'webhook_secret' => array(
				'title'       => __( 'Webhook secret', 'kutip-for-woocommerce' ),
				'type'        => 'password',
				/* translators: %s: address */
				'description' => sprintf( __( 'In Kutip, under Developers → Webhooks, add the endpoint %s for the events payment.succeeded, payment.failed, payment.refunded, payment.flagged, payment.disputed and refund.failed, and paste its secret here.', 'kutip-for-woocommerce' ), self::webhook_address() ),
				'default'     => '',
			),
		);
	}

	/** Where Kutip sends webhooks. */
	public static function webhook_address(): string {
		return WC()->api_request_url( GATEWAY );
	}

	/** The settings page, with the mode and what is missing above it. */
	public function admin_options(): void {
		$problem = Settings::problem();
		$words   = array(
			'test' => __( 'Test mode: payers pay at the simulator, and no money moves.', 'kutip-for-woocommerce' ),
			'live' => __( 'Live mode: payers pay with real money.', 'kutip-for-woocommerce' ),
		);
		$mode    = Settings::mode();
		if ( isset( $words[ $mode ] ) ) {
			echo '<div class="notice notice-info inline"><p>' . esc_html( $words[ $mode ] ) . '</p></div>';
		}
		if ( '' !== $problem ) {
			echo '<div class="notice notice-warning inline"><p>' . esc_html( $problem ) . '</p></div>';
		}
		parent::admin_options();
	}

	public function is_available(): bool {
		return parent::is_available() && '' === Settings::problem();
	}

	/**
	 * Sends the payer to the order's payment page.
	 *
	 * @param int $order_id The order.
	 * @return array<string, string>
	 */
	public function process_payment( $order_id ): array {
		try {
			$found = Lock::hold(
				(int) $order_id,
				function () use ( $order_id ): array {
					$order = Orders::find( (int) $order_id );
					if ( null === $order ) {
						return array( 'notice' => __( 'There is no such order.', 'kutip-for-woocommerce' ) );
					}
					$back  = $this->get_return_url( $order );
					$found = self::without_link( $order, $back );
					if ( null !== $found ) {
						return $found;
					}
					$found = Links::address_for( $order, $back );
					if ( ! isset( $found['url'] ) ) {
						return $found;
					}
					// The order may have changed while Kutip was asked.
					$now = Orders::find_any( (int) $order_id );
					if ( null !== $now && ! Links::is_same( $now, Links::terms( $order ) ) ) {
						$found = array( 'notice' => __( 'This order was changed just now. Please look at it again, and then pay.', 'kutip-for-woocommerce' ) );
					}
					return self::without_link( $now, $back ) ?? $found;
				}
			);
		} catch ( Busy $busy ) {
			$found = array( 'notice' => __( 'Your payment is being prepared. Please try again in a moment.', 'kutip-for-woocommerce' ) );
		}
		if ( isset( $found['url'] ) ) {
			return array(
				'result'   => 'success',
				'redirect' => $found['url'],
			);
		}
		wc_add_notice( $found['notice'], 'error' );
		return array( 'result' => 'failure' );
	}

	/**
	 * What the payer gets of an order that asks for no money; null for one that asks for it.
	 *
	 * @return array{url?: string, notice?: string}|null
	 */
	private static function without_link( ?\WC_Order $order, string $back ): ?array {
		if ( null === $order || Orders::has_ended( $order ) ) {
			return array( 'notice' => __( 'This order cannot be paid any more. If you have paid already, please ask the shop.', 'kutip-for-woocommerce' ) );
		}
		return Orders::is_over( $order ) ? array( 'url' => $back ) : null;
	}

	/**
	 * Refunds on the order page.
	 *
	 * @param int          $order_id The order.
	 * @param string|float|null $amount What goes back; null for everything.
	 * @param string       $reason   For the business.
	 * @return true|\WP_Error
	 */
	public function process_refund( $order_id, $amount = null, $reason = '' ) {
		try {
			return Lock::hold(
				(int) $order_id,
				static function () use ( $order_id, $amount, $reason ) {
					$order = Orders::find( (int) $order_id );
					if ( null === $order ) {
						return new \WP_Error( 'kutip_refund', __( 'There is no such order.', 'kutip-for-woocommerce' ) );
					}
					// WooCommerce may pass a number; its own function writes it as text.
					$text = null === $amount ? null : ( is_string( $amount ) ? $amount : wc_format_decimal( $amount, Amount::digits( $order->get_currency() ) ) );
					return Refunds::send( $order, $text, (string) $reason );
				}
			);
		} catch ( Busy $busy ) {
			return new \WP_Error( 'kutip_refund', __( 'A payment or refund of this order is being worked on. Please try again in a moment.', 'kutip-for-woocommerce' ) );
		}
	}

	/**
	 * What the payer reads who comes back before the webhook.
	 *
	 * @param int $order_id The order.
	 */
	public function thank_you( $order_id ): void {
		$order = Orders::find( (int) $order_id );
		if ( null === $order || $order->is_paid() || ! $order->has_status( array( 'pending', 'on-hold' ) ) ) {
			return;
		}
		$words = '' === (string) $order->get_meta( Orders::PAYMENT ) || Orders::is_returned( $order )
			? __( 'We are waiting for the confirmation of your payment. You do not need to pay again.', 'kutip-for-woocommerce' )
			: __( 'There is a payment for this order already. You do not need to pay again. If the shop has asked you to, please talk to the shop.', 'kutip-for-woocommerce' );
		echo '<p>' . esc_html( $words ) . '</p>';
	}
}

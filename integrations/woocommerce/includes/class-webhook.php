<?php
/**
 * Webhooks of Kutip.
 *
 * @package Kutip\WooCommerce
 */

declare( strict_types=1 );

namespace Kutip\WooCommerce;

/** Nothing else makes an order paid: the payer's way back proves nothing. */
final class Webhook {
	private const MOST_BYTES = 262144;

	/** Answers a request to the webhook address. */
	public static function receive(): void {
		$body = (string) file_get_contents( 'php://input', false, null, 0, self::MOST_BYTES + 1 );
		list( $status, $words ) = self::handle( $body, time() );
		status_header( $status );
		header( 'Content-Type: text/plain; charset=utf-8' );
		echo esc_html( $words );
		exit;
	}

	/** A header of the request, as it came. */
	private static function header( string $name ): string {
		// phpcs:ignore WordPress.Security.ValidatedSanitizedInput -- it is compared with a signature.
		return isset( $_SERVER[ $name ] ) && is_string( $_SERVER[ $name ] ) ? wp_unslash( $_SERVER[ $name ] ) : '';
	}

	/** @return array{0: int, 1: string} The status and the words of the answer. */
	private static function handle( string $body, int $now ): array {
		$id      = self::header( 'HTTP_WEBHOOK_ID' );
		$genuine = strlen( $body ) <= self::MOST_BYTES && Signature::is_genuine(
			Settings::webhook_secret(),
			$id,
			self::header( 'HTTP_WEBHOOK_TIMESTAMP' ),
			self::header( 'HTTP_WEBHOOK_SIGNATURE' ),
			$body,
			$now
		);
		if ( ! $genuine ) {
			return array( 401, 'The signature is not valid.' );
		}
		$event = json_decode( $body, true );
		if ( ! is_array( $event ) || ( $event['_id'] ?? null ) !== $id || ! is_string( $event['type'] ?? null ) || ! is_array( $event['data'] ?? null ) ) {
			return array( 400, 'This is no event.' );
		}
		if ( ( $event['mode'] ?? null ) !== Settings::mode() ) {
			return array( 422, 'The event is of another mode than the API key of this shop.' );
		}
		$order_id = self::order_of( $event['type'], $event['data'] );
		if ( null === $order_id ) {
			return array( 200, 'Nothing to do.' );
		}
		try {
			return Lock::hold(
				$order_id,
				static function () use ( $order_id, $event ): array {
					return self::work( $order_id, $event );
				}
			);
		} catch ( Busy $busy ) {
			return array( 503, 'Another process works on this order.' );
		}
	}

	/**
	 * The order that an event is about; null where there is none.
	 *
	 * @param array<string, mixed> $data The object of the event.
	 */
	private static function order_of( string $type, array $data ): ?int {
		if ( 'refund.failed' === $type ) {
			$found = wc_get_orders(
				array(
					'limit'          => 1,
					'return'         => 'ids',
					'transaction_id' => (string) ( $data['payment_id'] ?? '-' ),
				)
			);
			return isset( $found[0] ) ? (int) $found[0] : null;
		}
		$reference = (string) ( $data['reference'] ?? '' );
		return 0 === strpos( $type, 'payment.' ) && 1 === preg_match( '/^[1-9]\d{0,18}$/D', $reference ) ? (int) $reference : null;
	}

	/**
	 * @param array<string, mixed> $event A genuine event.
	 * @return array{0: int, 1: string}
	 */
	private static function work( int $order_id, array $event ): array {
		$order = Orders::find_any( $order_id );
		$data  = $event['data'];
		// Other shops of the same business may have an order of this number.
		$is_ours = null !== $order && ( 'refund.failed' === $event['type']
			? Orders::is_payment( $order, (string) $data['payment_id'] )
			: in_array( (string) ( $data['payment_link_id'] ?? '' ), Orders::texts( $order, Orders::LINKS ), true ) );
		if ( ! $is_ours ) {
			return array( 200, 'This is no order of this shop.' );
		}
		if ( Orders::knows( $order, $event['_id'] ) ) {
			return array( 200, 'The event is known.' );
		}
		switch ( $event['type'] ) {
			case 'payment.succeeded':
			case 'payment.refunded':
				$relation = self::paid( $order, $data );
				if ( 'incomplete' === $relation ) {
					// Not remembered: Kutip sends the event again.
					return array( 503, 'WooCommerce could not complete the order.' );
				}
				if ( 'pays' === $relation && 'payment.refunded' === $event['type'] ) {
					Refunds::record( $order, (int) ( $data['refunded_amount'] ?? 0 ) );
				}
				break;
			case 'payment.failed':
				/* translators: %s: why */
				$order->add_order_note( sprintf( __( 'Kutip: a payment did not go through. %s Nothing was taken; the payer can try again.', 'kutip-for-woocommerce' ), (string) ( $data['message'] ?? '' ) ) );
				break;
			case 'payment.flagged':
				self::note_flags( $order, $data );
				break;
			case 'payment.disputed':
				/* translators: %s: id of the payment */
				$order->add_order_note( sprintf( __( 'Kutip: the payer disputes payment %s with their bank. Look at it in Kutip.', 'kutip-for-woocommerce' ), (string) $data['_id'] ) );
				break;
			case 'refund.failed':
				Refunds::failed( $order, $data );
				/* translators: 1: amount, 2: why */
				$order->add_order_note( sprintf( __( 'Kutip: the refund of %1$s failed, and nothing was given back. %2$s If WooCommerce shows it as refunded, delete that refund.', 'kutip-for-woocommerce' ), Amount::shown( (int) ( $data['amount'] ?? 0 ), $order->get_currency() ), (string) ( $data['message'] ?? '' ) ) );
				break;
		}
		Orders::remember( $order, $event['_id'] );
		return array( 200, 'Done.' );
	}

	/**
	 * Makes the order paid, if the payment is the one that it asks for. Returns `pays` for the payment that pays it, `incomplete` where WooCommerce could
	 * not complete the order, and `none` for any other payment.
	 *
	 * @param array<string, mixed> $payment A payment that took money.
	 */
	private static function paid( \WC_Order $order, array $payment ): string {
		$id       = (string) ( $payment['_id'] ?? '' );
		$is_known = Orders::is_payment( $order, $id );
		$is_paid  = $order->is_paid() || null !== $order->get_date_paid();
		// A known payment of an unpaid order: WooCommerce could not complete the order before.
		if ( $is_known && ( $is_paid || $order->has_status( 'refunded' ) ) ) {
			return 'pays';
		}
		$currency = (string) ( $payment['currency'] ?? '' );
		$amount   = is_int( $payment['amount'] ?? null ) ? $payment['amount'] : -1;
		$shown    = Amount::shown( max( 0, $amount ), $currency );
		if ( ! $is_known && ( $is_paid || '' !== (string) $order->get_meta( Orders::PAYMENT ) ) ) {
			/* translators: 1: amount, 2: id of the payment */
			$order->add_order_note( sprintf( __( 'Kutip took another payment of %1$s (%2$s) for this order, which is paid already. Refund it in Kutip.', 'kutip-for-woocommerce' ), $shown, $id ) );
			return 'none';
		}
		$flags = is_array( $payment['flags'] ?? null ) ? $payment['flags'] : array();
		if ( array() !== $flags || $order->has_status( array( 'cancelled', 'refunded', 'trash' ) ) ) {
			/* translators: 1: amount, 2: id of the payment */
			$order->add_order_note( sprintf( __( 'Kutip took %1$s (%2$s) after this order or its payment link had ended. The order was left as it is: fulfil it, or refund the payment in Kutip.', 'kutip-for-woocommerce' ), $shown, $id ) );
			return 'none';
		}
		try {
			$fits = Orders::total( $order ) === $amount && $order->get_currency() === $currency;
		} catch ( \InvalidArgumentException $error ) {
			$fits = false;
		}
		if ( ! $fits ) {
			/* translators: 1: amount, 2: id of the payment, 3: total of the order */
			$order->update_status( 'on-hold', sprintf( __( 'Kutip took %1$s (%2$s), and this order costs %3$s. It does not count as paid.', 'kutip-for-woocommerce' ), $shown, $id, $order->get_currency() . ' ' . $order->get_total( 'edit' ) ) );
			return 'none';
		}
		if ( ! Orders::is_of_kutip( $order ) ) {
			/* translators: 1: amount, 2: id of the payment, 3: name of a payment method */
			$order->add_order_note( sprintf( __( 'Kutip took %1$s (%2$s) for this order, although %3$s had been chosen instead. The order is paid, and its payment method is Kutip again. Make sure that the payer does not pay twice.', 'kutip-for-woocommerce' ), $shown, $id, self::method_of( $order ) ) );
			// Refunds on the order page go to the method that took the money.
			$order->set_payment_method( GATEWAY );
			$order->set_payment_method_title( Settings::title() );
		}
		$order->update_meta_data( Orders::PAYMENT, $id );
		$order->save();
		return $order->payment_complete( $id ) ? 'pays' : 'incomplete';
	}

	/** The payment method of an order, as its payer knows it. */
	private static function method_of( \WC_Order $order ): string {
		$title = (string) $order->get_payment_method_title();
		return '' === $title ? (string) $order->get_payment_method() : $title;
	}

	/** @param array<string, mixed> $payment A payment that needs a person. */
	private static function note_flags( \WC_Order $order, array $payment ): void {
		$flags = implode( ', ', array_filter( is_array( $payment['flags'] ?? null ) ? $payment['flags'] : array(), 'is_string' ) );
		/* translators: 1: id of the payment, 2: flags */
		$words = sprintf( __( 'Kutip: payment %1$s needs a person (%2$s). Look at it in Kutip.', 'kutip-for-woocommerce' ), (string) $payment['_id'], $flags );
		if ( $order->has_status( 'pending' ) ) {
			$order->update_status( 'on-hold', $words );
		} else {
			$order->add_order_note( $words );
		}
	}
}

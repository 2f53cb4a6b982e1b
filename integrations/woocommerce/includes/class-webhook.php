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
			$payment = (string) ( $data['payment_id'] ?? '-' );
			// Staff and other plugins may write another transaction.
			$by_meta  = array(
				'meta_key'   => Orders::PAYMENT,
				'meta_value' => $payment,
			);
			// Copies of an order come after it.
			$only_one = array(
				'limit'   => 1,
				'return'  => 'ids',
				'orderby' => 'ID',
				'order'   => 'ASC',
			);
			foreach ( array( $by_meta, array( 'transaction_id' => $payment ) ) as $named ) {
				$found = wc_get_orders( $only_one + $named );
				if ( isset( $found[0] ) ) {
					return (int) $found[0];
				}
			}
			return null;
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
		$link  = (string) ( $data['payment_link_id'] ?? '' );
		if ( null !== $order && 'refund.failed' !== $event['type'] && ! self::has_link( $order, $link ) && Links::may_be_found( $order ) && '' !== Links::recover( $order ) ) {
			// The answer that named the order's link was lost, and this may be that link.
			return array( 503, 'Kutip did not answer.' );
		}
		// Other shops of the same business may have an order of this number.
		$is_ours = null !== $order && ( 'refund.failed' === $event['type'] ? Orders::is_payment( $order, (string) $data['payment_id'] ) : self::has_link( $order, $link ) );
		if ( ! $is_ours ) {
			return array( 200, 'This is no order of this shop.' );
		}
		if ( Orders::knows( $order, $event['_id'] ) ) {
			return array( 200, 'The event is known.' );
		}
		switch ( $event['type'] ) {
			case 'payment.succeeded':
			case 'payment.refunded':
				$is_done = 'payment.refunded' === $event['type'] ? self::refunded( $order, $data ) : self::paid( $order, $data );
				if ( ! $is_done ) {
					// Not remembered: Kutip sends the event again.
					return array( 503, 'WooCommerce could not complete the order.' );
				}
				break;
			case 'payment.failed':
				self::note_failure( $order, $data );
				break;
			case 'payment.flagged':
				self::note_flags( $order, $data );
				break;
			case 'payment.disputed':
				self::note_dispute( $order, $data );
				break;
			case 'refund.failed':
				if ( ! Refunds::failed( $order, $data ) ) {
					return array( 503, 'Kutip did not answer.' );
				}
				/* translators: 1: amount, 2: why */
				$order->add_order_note( sprintf( __( 'Kutip: the refund of %1$s failed, and nothing was given back. %2$s If WooCommerce shows it as refunded, delete that refund.', 'kutip-for-woocommerce' ), Amount::shown( (int) ( $data['amount'] ?? 0 ), $order->get_currency() ), (string) ( $data['message'] ?? '' ) ) );
				break;
		}
		// What kept the link may be over. Saved, the order is looked at again.
		$order->delete_meta_data( Orders::KEPT );
		Orders::remember( $order, $event['_id'] );
		return array( 200, 'Done.' );
	}

	private static function has_link( \WC_Order $order, string $link ): bool {
		return in_array( $link, Orders::texts( $order, Orders::LINKS ), true );
	}

	/**
	 * What a payment that took money is to the order: `paid_it`, `pays_it`, `by_hand` where staff had marked the order as paid before, or why it does not pay it:
	 * `another` has paid it, it came `late`, or it `misfits`.
	 *
	 * @param array<string, mixed> $payment The payment.
	 */
	private static function relation( \WC_Order $order, array $payment ): string {
		$is_late     = self::is_flagged_late( $payment ) || Orders::has_ended( $order );
		$is_returned = Orders::is_returned( $order );
		if ( Orders::is_payment( $order, (string) ( $payment['_id'] ?? '' ) ) ) {
			// An unpaid order: WooCommerce could not complete it before.
			if ( $is_returned || Orders::is_paid( $order ) || $order->has_status( 'refunded' ) ) {
				return 'paid_it';
			}
		} elseif ( '' !== (string) $order->get_meta( Orders::PAYMENT ) && ! $is_returned ) {
			return 'another';
		} elseif ( Orders::is_settled( $order ) ) {
			$is_by_hand = Orders::is_of_kutip( $order ) && in_array( (string) $order->get_transaction_id(), array( '', (string) $order->get_meta( Orders::RETURNED ) ), true );
			return $is_by_hand && ! $is_late && self::fits( $order, $payment ) ? 'by_hand' : 'another';
		}
		if ( $is_late ) {
			return 'late';
		}
		return self::fits( $order, $payment ) ? 'pays_it' : 'misfits';
	}

	/** @param array<string, mixed> $payment A payment. Kutip says of it that its link had ended or was paid before. */
	private static function is_flagged_late( array $payment ): bool {
		return array() !== array_intersect( is_array( $payment['flags'] ?? null ) ? $payment['flags'] : array(), array( 'late', 'duplicate' ) );
	}

	/**
	 * Whether a payment is of the amount and currency that the order costs now.
	 *
	 * @param array<string, mixed> $payment The payment.
	 */
	private static function fits( \WC_Order $order, array $payment ): bool {
		try {
			return Orders::total( $order ) === ( $payment['amount'] ?? null ) && $order->get_currency() === ( $payment['currency'] ?? null );
		} catch ( \InvalidArgumentException $error ) {
			return false;
		}
	}

	/**
	 * Makes the order paid, if the payment is the one that it asks for. Returns false where WooCommerce could not complete it.
	 *
	 * @param array<string, mixed> $payment A payment that took money.
	 */
	private static function paid( \WC_Order $order, array $payment ): bool {
		$id       = (string) ( $payment['_id'] ?? '' );
		$shown    = self::shown( $payment, 'amount' );
		$relation = self::relation( $order, $payment );
		if ( in_array( $relation, array( 'another', 'late', 'misfits' ), true ) ) {
			self::forget_link( $order, $payment );
		}
		switch ( $relation ) {
			case 'pays_it':
				return self::complete( $order, $payment );
			case 'by_hand':
				self::attach( $order, $payment );
				break;
			case 'another':
				/* translators: 1: amount, 2: id of the payment */
				$order->add_order_note( sprintf( __( 'Kutip took another payment of %1$s (%2$s) for this order, which is paid already. Refund it in Kutip.', 'kutip-for-woocommerce' ), $shown, $id ) );
				break;
			case 'late':
				/* translators: 1: amount, 2: id of the payment */
				$order->add_order_note( sprintf( __( 'Kutip took %1$s (%2$s) after this order or its payment link had ended or was changed. The order was left as it is: fulfil it, or refund the payment in Kutip.', 'kutip-for-woocommerce' ), $shown, $id ) );
				break;
			case 'misfits':
				/* translators: 1: amount, 2: id of the payment, 3: total of the order */
				$order->update_status( 'on-hold', sprintf( __( 'Kutip took %1$s (%2$s), and this order costs %3$s. It does not count as paid. Refund it in Kutip, or settle the difference.', 'kutip-for-woocommerce' ), $shown, $id, $order->get_currency() . ' ' . $order->get_total( 'edit' ) ) );
				break;
		}
		return true;
	}

	/**
	 * Records what Kutip gave back of the payment that pays the order. Returns false where WooCommerce could not complete it.
	 *
	 * @param array<string, mixed> $payment A payment that took money.
	 */
	private static function refunded( \WC_Order $order, array $payment ): bool {
		$id       = (string) ( $payment['_id'] ?? '' );
		$relation = self::relation( $order, $payment );
		if ( 'pays_it' === $relation && ! self::complete( $order, $payment ) ) {
			return false;
		}
		if ( 'by_hand' === $relation ) {
			self::attach( $order, $payment );
		}
		if ( in_array( $relation, array( 'paid_it', 'pays_it', 'by_hand' ), true ) ) {
			Refunds::record( $order, $payment );
		} else {
			self::forget_link( $order, $payment );
			/* translators: 1: amount, 2: id of the payment */
			$order->add_order_note( sprintf( __( 'Kutip shows %1$s of payment %2$s as given back. That payment did not pay this order, which was left as it is.', 'kutip-for-woocommerce' ), self::shown( $payment, 'refunded_amount' ), $id ) );
		}
		return true;
	}

	/**
	 * Forgets the order's link where it is paid by money that does not pay the order, so that the order can get another one when it waits for money again.
	 *
	 * @param array<string, mixed> $payment A payment that took money and does not pay the order.
	 */
	private static function forget_link( \WC_Order $order, array $payment ): void {
		// A link with late or double money may have ended unpaid, and can then be opened again: it is kept, to be cancelled with its order.
		if ( ! self::is_flagged_late( $payment ) && (string) ( $payment['payment_link_id'] ?? '' ) === (string) $order->get_meta( Orders::LINK ) ) {
			Links::forget( $order );
		}
	}

	/**
	 * Keeps the payment of an order that was marked as paid before its webhook came: refunds and later events go by it.
	 *
	 * @param array<string, mixed> $payment The payment.
	 */
	private static function attach( \WC_Order $order, array $payment ): void {
		$id    = (string) ( $payment['_id'] ?? '' );
		$shown = self::shown( $payment, 'amount' );
		Orders::keep_payment( $order, $payment );
		$order->set_transaction_id( $id );
		$order->save();
		/* translators: 1: amount, 2: id of the payment */
		$order->add_order_note( sprintf( __( 'Kutip took %1$s (%2$s). The order had been marked as paid by hand. If the payer has paid in another way too, refund this payment.', 'kutip-for-woocommerce' ), $shown, $id ) );
	}

	/** @param array<string, mixed> $payment The payment that pays the order. */
	private static function complete( \WC_Order $order, array $payment ): bool {
		$id    = (string) ( $payment['_id'] ?? '' );
		$shown = self::shown( $payment, 'amount' );
		if ( ! Orders::is_of_kutip( $order ) ) {
			/* translators: 1: amount, 2: id of the payment, 3: name of a payment method */
			$order->add_order_note( sprintf( __( 'Kutip took %1$s (%2$s) for this order, although %3$s had been chosen instead. The order is paid, and its payment method is Kutip again. Make sure that the payer does not pay twice.', 'kutip-for-woocommerce' ), $shown, $id, self::method_of( $order ) ) );
			// Refunds on the order page go to the method that took the money.
			$order->set_payment_method( GATEWAY );
			$order->set_payment_method_title( Settings::title() );
		}
		Orders::keep_payment( $order, $payment );
		$order->save();
		if ( ! $order->payment_complete( $id ) ) {
			return false;
		}
		// In a status that WooCommerce does not know it completes nothing, and returns true all the same.
		if ( ! Orders::is_paid( $order ) && $id !== (string) $order->get_transaction_id() ) {
			$order->set_transaction_id( $id );
			$order->save();
			/* translators: 1: amount, 2: id of the payment, 3: status of the order */
			$order->add_order_note( sprintf( __( 'Kutip took %1$s (%2$s), and this order is paid. WooCommerce completes no order with the status “%3$s”. Change the status by hand.', 'kutip-for-woocommerce' ), $shown, $id, $order->get_status() ) );
		}
		return true;
	}

	/** @param array<string, mixed> $record A record with an amount of this name. */
	private static function shown( array $record, string $name ): string {
		return Amount::shown( max( 0, is_int( $record[ $name ] ?? null ) ? $record[ $name ] : 0 ), (string) ( $record['currency'] ?? '' ) );
	}

	/** The payment method of an order, as its payer knows it. */
	private static function method_of( \WC_Order $order ): string {
		$title = (string) $order->get_payment_method_title();
		return '' === $title ? (string) $order->get_payment_method() : $title;
	}

	/** @param array<string, mixed> $payment A payment that failed. One that staff resolved may have taken money, of another amount or without an answer. */
	private static function note_failure( \WC_Order $order, array $payment ): void {
		$words = array() !== array_intersect( is_array( $payment['flags'] ?? null ) ? $payment['flags'] : array(), array( 'amount_mismatch', 'resolved' ) )
			/* translators: 1: id of the payment, 2: why */
			? __( 'Kutip: payment %1$s does not pay this order. %2$s Staff have dealt with it in Kutip.', 'kutip-for-woocommerce' )
			/* translators: 1: id of the payment, 2: why */
			: __( 'Kutip: payment %1$s did not go through. %2$s Nothing was taken; the payer can try again.', 'kutip-for-woocommerce' );
		$order->add_order_note( sprintf( $words, (string) ( $payment['_id'] ?? '' ), (string) ( $payment['message'] ?? '' ) ) );
	}

	/** @param array<string, mixed> $payment A payment with a dispute that was opened, changed or decided. */
	private static function note_dispute( \WC_Order $order, array $payment ): void {
		$words = array(
			/* translators: %s: id of the payment */
			'won'  => __( 'Kutip: the dispute of payment %s was won. The money stays with you.', 'kutip-for-woocommerce' ),
			/* translators: %s: id of the payment */
			'lost' => __( 'Kutip: the dispute of payment %s was lost. The payer’s bank keeps the money.', 'kutip-for-woocommerce' ),
			/* translators: %s: id of the payment */
			'open' => __( 'Kutip: the payer disputes payment %s with their bank. Look at it in Kutip.', 'kutip-for-woocommerce' ),
		);
		$order->add_order_note( sprintf( $words[ $payment['dispute_status'] ?? 'open' ] ?? $words['open'], (string) ( $payment['_id'] ?? '' ) ) );
	}

	/** @param array<string, mixed> $payment A payment that needs a person. */
	private static function note_flags( \WC_Order $order, array $payment ): void {
		$flags = array_filter( is_array( $payment['flags'] ?? null ) ? $payment['flags'] : array(), 'is_string' );
		if ( in_array( 'resolved', $flags, true ) ) {
			/* translators: %s: id of the payment */
			$order->add_order_note( sprintf( __( 'Kutip: payment %s is resolved. It does not count as paid.', 'kutip-for-woocommerce' ), (string) $payment['_id'] ) );
			return;
		}
		/* translators: 1: id of the payment, 2: flags */
		$words = sprintf( __( 'Kutip: payment %1$s needs a person (%2$s). Look at it in Kutip.', 'kutip-for-woocommerce' ), (string) $payment['_id'], implode( ', ', $flags ) );
		if ( $order->has_status( 'pending' ) ) {
			$order->update_status( 'on-hold', $words );
		} else {
			$order->add_order_note( $words );
		}
	}
}

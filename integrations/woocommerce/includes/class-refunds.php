<?php
/**
 * Refunds that are asked for on the order page.
 *
 * @package Kutip\WooCommerce
 */

declare( strict_types=1 );

namespace Kutip\WooCommerce;

/**
 * Sends refunds to Kutip. WooCommerce records a refund only when Kutip says that it succeeded. While a refund has no outcome it is neither a success nor
 * a failure: nothing is recorded, no other refund is sent, and the webhook records it later.
 */
final class Refunds {
	/**
	 * Refunds an amount of an order that is locked.
	 *
	 * @param string|null $amount Decimal text; null for everything.
	 * @return true|\WP_Error
	 */
	public static function send( \WC_Order $order, ?string $amount, string $reason ) {
		$payment = (string) $order->get_meta( Orders::PAYMENT );
		if ( '' === $payment ) {
			return self::error( __( 'Kutip took no payment that pays this order. Refund other money in Kutip.', 'kutip-for-woocommerce' ) );
		}
		try {
			$minor = Amount::to_minor( (string) ( $amount ?? $order->get_total( 'edit' ) ), $order->get_currency() );
		} catch ( \InvalidArgumentException $error ) {
			return self::error( __( 'This is no amount of the order’s currency.', 'kutip-for-woocommerce' ) );
		}
		if ( $minor <= 0 ) {
			return self::error( __( 'The amount must be greater than zero.', 'kutip-for-woocommerce' ) );
		}
		$open  = Orders::kept( $order, Orders::REFUND );
		$taken = self::payment( $payment );
		if ( 'ok' !== $taken->kind ) {
			return self::error(
				is_array( $open )
					? self::waiting( $open, $order->get_currency() )
					/* translators: %s: why */
					: sprintf( __( 'Nothing was refunded. Kutip did not return the payment: %s', 'kutip-for-woocommerce' ), $taken->words( $order->get_currency() ) )
			);
		}
		if ( self::is_manual( $taken->data ) ) {
			return self::error( __( 'This payment was recorded by hand in Kutip. Give the money back by hand, and use “Refund manually” here.', 'kutip-for-woocommerce' ) );
		}
		if ( is_array( $open ) ) {
			$is_this = (int) $open['amount'] === $minor && (string) $open['reason'] === $reason;
			$found   = self::look_up( $payment, $open );
			$is_over = self::is_over( $found );
			$is_new  = 'none' === $found['kind'] && time() - (int) $open['at'] <= Api::KEY_SECONDS;
			if ( $is_over && $is_this ) {
				$refunded = self::refunded( $payment );
				if ( null === $refunded ) {
					return self::error( self::waiting( $open, $order->get_currency() ) );
				}
				// Where a webhook has recorded all that Kutip gave back, this is another refund.
				if ( 'failed' === $found['refund']['status'] || $refunded > self::recorded( $order ) ) {
					return self::ended( $order, $open, $found['refund'] );
				}
			}
			if ( 'unknown' === $found['kind'] || ( 'found' === $found['kind'] && ! $is_over ) || ( $is_new && ! $is_this ) ) {
				return self::error( self::waiting( $open, $order->get_currency() ) );
			}
			// What is left: it ended, it never reached Kutip, or it is sent once more under its key.
			$open = $is_new ? $open : null;
		}
		if ( ! is_array( $open ) ) {
			$open = array(
				'key'    => wp_generate_uuid4(),
				'amount' => $minor,
				'reason' => $reason,
				'at'     => time(),
			);
			// Written before the call: an answer that is lost is asked for again under the same key.
			self::keep( $order, $open );
		}
		return self::result( $order, $open, Api::post( self::path( $payment ), self::body( $open ), 'wc-refund-' . $open['key'] ) );
	}

	/**
	 * @param array<string, mixed> $open The refund without an outcome.
	 * @return true|\WP_Error
	 */
	private static function result( \WC_Order $order, array $open, Answer $answer ) {
		$currency = $order->get_currency();
		if ( 'refused' === $answer->kind ) {
			self::keep( $order, null );
			// Kutip's own words say "here" and mean Kutip.
			return self::error(
				'refund_unsupported' === $answer->code
					? __( 'Kutip cannot make this refund through the payment provider. Open the payment in Kutip and refund it there: Kutip says how the money goes back. What you record there is recorded here too, so do not use “Refund manually”.', 'kutip-for-woocommerce' )
					: $answer->words( $currency )
			);
		}
		if ( in_array( $answer->data['status'] ?? '', array( 'succeeded', 'failed' ), true ) ) {
			return self::ended( $order, $open, $answer->data );
		}
		$waiting = self::waiting( $open, $currency );
		$message = is_string( $answer->data['message'] ?? null ) ? ' ' . $answer->data['message'] : '';
		$order->add_order_note( 'Kutip: ' . $waiting . $message );
		return self::error( $waiting . $message );
	}

	/**
	 * @param array<string, mixed> $open   The refund without an outcome.
	 * @param array<string, mixed> $refund The same as Kutip has it, with its outcome.
	 * @return true|\WP_Error
	 */
	private static function ended( \WC_Order $order, array $open, array $refund ) {
		if ( 'succeeded' === $refund['status'] ) {
			self::note_recorded( $order, self::recorded( $order ) + (int) $open['amount'] );
		}
		self::keep( $order, null );
		if ( 'succeeded' !== $refund['status'] ) {
			/* translators: %s: why */
			return self::error( sprintf( __( 'Nothing was refunded. %s', 'kutip-for-woocommerce' ), (string) ( $refund['message'] ?? '' ) ) );
		}
		/* translators: 1: amount, 2: id of the refund */
		$order->add_order_note( sprintf( __( 'Kutip refunded %1$s (%2$s).', 'kutip-for-woocommerce' ), Amount::shown( (int) $open['amount'], $order->get_currency() ), (string) ( $refund['_id'] ?? '' ) ) );
		return true;
	}

	/**
	 * An earlier refund as Kutip has it, by the key in its reason. `none`: Kutip has no such refund.
	 *
	 * @param array<string, mixed> $open The refund.
	 * @return array{kind: string, refund?: array<string, mixed>}
	 */
	private static function look_up( string $payment, array $open ): array {
		$list = Api::get( self::path( $payment ) );
		if ( 'ok' !== $list->kind || ! is_array( $list->data['data'] ?? null ) ) {
			return array( 'kind' => 'unknown' );
		}
		foreach ( $list->data['data'] as $refund ) {
			if ( is_array( $refund ) && self::is_of( $refund, $open ) ) {
				return array(
					'kind'   => 'found',
					'refund' => $refund,
				);
			}
		}
		return array( 'kind' => 'none' );
	}

	/**
	 * Whether Kutip has the outcome of a refund that was looked up.
	 *
	 * @param array{kind: string, refund?: array<string, mixed>} $found What the look-up found.
	 */
	private static function is_over( array $found ): bool {
		return 'found' === $found['kind'] && in_array( $found['refund']['status'] ?? '', array( 'succeeded', 'failed' ), true );
	}

	/**
	 * Whether a refund of Kutip is the open one. Its amount proves nothing: other refunds may be of the same.
	 *
	 * @param array<string, mixed> $refund The refund as Kutip has it.
	 * @param array<string, mixed> $open   The refund without an outcome.
	 */
	private static function is_of( array $refund, array $open ): bool {
		return false !== strpos( (string) ( $refund['reason'] ?? '' ), self::mark( $open ) );
	}

	/**
	 * Makes WooCommerce's records show what Kutip gave back of the payment that pays the order, or what staff recorded in Kutip as given back.
	 *
	 * @param array<string, mixed> $payment The payment as an event has it.
	 */
	public static function record( \WC_Order $order, array $payment ): void {
		self::end_open( $order );
		$currency = $order->get_currency();
		$refunded = (int) ( $payment['refunded_amount'] ?? 0 );
		// Not what WooCommerce has as refunded: that includes cash, and refunds that the gateway has not decided.
		$known = self::recorded( $order );
		if ( $refunded <= $known ) {
			return;
		}
		// An event may come late, and the refund have failed after it.
		$refunded = self::refunded( (string) $order->get_meta( Orders::PAYMENT ) ) ?? $refunded;
		if ( $refunded <= $known ) {
			return;
		}
		$made = wc_create_refund(
			array(
				'order_id'       => $order->get_id(),
				'amount'         => Amount::to_text( $refunded - $known, $currency ),
				'reason'         => __( 'Refund in Kutip', 'kutip-for-woocommerce' ),
				'refund_payment' => false,
				'restock_items'  => false,
			)
		);
		self::note_recorded( $order, $refunded );
		$shown = Amount::shown( $refunded - $known, $currency );
		// Who moved the money is not known here: staff may have recorded in Kutip what they gave back in another way.
		$order->add_order_note(
			is_wp_error( $made )
				/* translators: 1: amount, 2: why */
				? sprintf( __( 'Kutip shows %1$s as given back. WooCommerce could not record it: %2$s', 'kutip-for-woocommerce' ), $shown, $made->get_error_message() )
				/* translators: %s: amount */
				: sprintf( __( 'Kutip shows %s as given back. It is recorded here too. If it was recorded here before, delete one of the two refunds.', 'kutip-for-woocommerce' ), $shown )
		);
	}

	/** Forgets the open refund once Kutip has its outcome. A webhook about a payment does not say which refund it is about. */
	private static function end_open( \WC_Order $order ): void {
		$open = Orders::kept( $order, Orders::REFUND );
		if ( is_array( $open ) && self::is_over( self::look_up( (string) $order->get_meta( Orders::PAYMENT ), $open ) ) ) {
			self::keep( $order, null );
		}
	}

	/**
	 * Forgets the open refund, if it is the one that failed. Returns false where Kutip did not say what it has given back now.
	 *
	 * @param array<string, mixed> $refund The refund as Kutip has it.
	 */
	public static function failed( \WC_Order $order, array $refund ): bool {
		$open = Orders::kept( $order, Orders::REFUND );
		if ( is_array( $open ) && self::is_of( $refund, $open ) ) {
			self::keep( $order, null );
		}
		$recorded = self::recorded( $order );
		if ( 0 === $recorded ) {
			return true;
		}
		$refunded = self::refunded( (string) $order->get_meta( Orders::PAYMENT ) );
		if ( null === $refunded ) {
			return false;
		}
		// It may have succeeded at first: then its money counts again.
		self::note_recorded( $order, min( $recorded, $refunded ) );
		return true;
	}

	/** What Kutip has given back of a payment by now, in minor units; null without an answer. */
	private static function refunded( string $payment ): ?int {
		$answer = self::payment( $payment );
		return is_int( $answer->data['refunded_amount'] ?? null ) ? $answer->data['refunded_amount'] : null;
	}

	/** A payment as Kutip has it now. */
	public static function payment( string $payment ): Answer {
		return Api::get( '/payments/' . rawurlencode( $payment ) );
	}

	/**
	 * Whether a payment was recorded by hand in Kutip. Kutip only records its refunds, and no money moves.
	 *
	 * @param array<string, mixed> $payment The payment.
	 */
	private static function is_manual( array $payment ): bool {
		return 'manual' === ( $payment['gateway'] ?? '' );
	}

	/** What Kutip gave back and WooCommerce has recorded, in minor units. */
	private static function recorded( \WC_Order $order ): int {
		return (int) $order->get_meta( Orders::REFUNDED );
	}

	private static function note_recorded( \WC_Order $order, int $minor ): void {
		$order->update_meta_data( Orders::REFUNDED, (string) $minor );
		$order->save();
	}

	/** @param array<string, mixed>|null $open The refund without an outcome. */
	private static function keep( \WC_Order $order, ?array $open ): void {
		if ( null !== $open ) {
			Orders::keep( $order, Orders::REFUND, $open );
			return;
		}
		$order->delete_meta_data( Orders::REFUND );
		$order->save();
	}

	/**
	 * The end of the reason of a refund: it is found by that when Kutip no longer keeps its key.
	 *
	 * @param array<string, mixed> $open The refund without an outcome.
	 */
	private static function mark( array $open ): string {
		return '[WooCommerce ' . $open['key'] . ']';
	}

	/**
	 * What is sent to Kutip.
	 *
	 * @param array<string, mixed> $open The refund without an outcome.
	 * @return array<string, mixed>
	 */
	private static function body( array $open ): array {
		$reason = 1 === preg_match( '/^.{0,150}/us', (string) $open['reason'], $start ) ? trim( (string) preg_replace( '/\s+/u', ' ', $start[0] ) ) : '';
		return array(
			'amount' => (int) $open['amount'],
			'reason' => trim( $reason . ' ' . self::mark( $open ) ),
		);
	}

	/** @param array<string, mixed> $open The refund without an outcome. */
	private static function waiting( array $open, string $currency ): string {
		/* translators: %s: amount */
		return sprintf( __( 'The refund of %s has no outcome yet. It may still succeed, so do not refund it in another way. WooCommerce records it when Kutip reports that it succeeded.', 'kutip-for-woocommerce' ), Amount::shown( (int) $open['amount'], $currency ) );
	}

	private static function path( string $payment ): string {
		return '/payments/' . rawurlencode( $payment ) . '/refunds';
	}

	private static function error( string $message ): \WP_Error {
		return new \WP_Error( 'kutip_refund', $message );
	}
}

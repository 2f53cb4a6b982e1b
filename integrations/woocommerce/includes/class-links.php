<?php
/**
 * The payment link of an order.
 *
 * @package Kutip\WooCommerce
 */

declare( strict_types=1 );

namespace Kutip\WooCommerce;

/** Finds or creates the link that a payer pays, and cancels it with the order. */
final class Links {
	private const RETRY_SECONDS = 300;
	private const MOST_RETRIES  = 12;

	/**
	 * Where the payer of an order pays. An order has one link that can be paid: a second press returns to it.
	 *
	 * @return array{url?: string, notice?: string} An address, or what the payer reads.
	 */
	public static function address_for( \WC_Order $order, string $return_url ): array {
		try {
			$total = Orders::total( $order );
		} catch ( \InvalidArgumentException $error ) {
			$order->add_order_note( __( 'Kutip: the total has more decimals than its currency has. Set the number of decimals in WooCommerce.', 'kutip-for-woocommerce' ) );
			return array( 'notice' => __( 'This order cannot be paid this way. Please choose another way to pay.', 'kutip-for-woocommerce' ) );
		}
		$link_id = (string) $order->get_meta( Orders::LINK );
		if ( '' !== $link_id ) {
			$known = Api::get( '/payment-links/' . rawurlencode( $link_id ) );
			if ( 'unknown' === $known->kind || ( 'refused' === $known->kind && 404 !== $known->status ) ) {
				return self::unseen( $order, $known );
			}
			$found = 'ok' === $known->kind ? self::reuse( $order, $known->data, $total, $return_url ) : null;
			if ( null !== $found ) {
				return $found;
			}
			self::forget( $order );
		}
		return self::create( $order, $total, $return_url );
	}

	/**
	 * What to do with the order's link; null when a new one is needed.
	 *
	 * @param array<string, mixed> $link The link as Kutip has it.
	 * @return array{url?: string, notice?: string}|null
	 */
	private static function reuse( \WC_Order $order, array $link, int $total, string $return_url ): ?array {
		$status = $link['status'] ?? '';
		if ( 'Paid' === $status ) {
			return array( 'url' => $return_url );
		}
		$is_same = ( $link['amount'] ?? null ) === $total && ( $link['currency'] ?? null ) === $order->get_currency();
		if ( 'Processing' === $status || ( 'Active' === $status && $is_same ) ) {
			return array( 'url' => (string) $link['payment_url'] );
		}
		if ( 'Active' !== $status ) {
			return null;
		}
		// The order has changed since: the old link must not take the old amount.
		$cancelled = self::cancel( (string) $link['_id'] );
		if ( 'ok' === $cancelled->kind ) {
			return null;
		}
		return 'unknown' === $cancelled->kind
			? self::unseen( $order, $cancelled )
			: array( 'notice' => __( 'An earlier payment for this order is still being processed. Please try again in a few minutes.', 'kutip-for-woocommerce' ) );
	}

	/** @return array{url?: string, notice?: string} */
	private static function create( \WC_Order $order, int $total, string $return_url ): array {
		$body = array(
			'email'        => $order->get_billing_email(),
			'currency'     => $order->get_currency(),
			'amount'       => $total,
			'title'        => self::title( $order ),
			'redirect_url' => $return_url,
			'reference'    => (string) $order->get_id(),
			'send_email'   => false,
		);
		// The same order, terms and generation: the same link, however often it is sent.
		$key    = sprintf( 'wc-%d-%d-%s', $order->get_id(), (int) $order->get_meta( Orders::GENERATION ), hash( 'sha256', (string) wp_json_encode( $body ) ) );
		$answer = Api::post( '/payment-links', $body, $key );
		if ( 'unknown' === $answer->kind ) {
			return self::no_answer( $order, $answer );
		}
		if ( 'refused' === $answer->kind ) {
			return self::refused( $order, $answer );
		}
		$link = $answer->data;
		if ( ( $link['amount'] ?? null ) !== $total || ( $link['currency'] ?? null ) !== $order->get_currency() || ! is_string( $link['_id'] ?? null ) || 1 !== preg_match( '#^https?://#', (string) ( $link['payment_url'] ?? '' ) ) ) {
			$order->add_order_note( __( 'Kutip returned a payment link that does not fit this order. The payer was not sent there.', 'kutip-for-woocommerce' ) );
			return array( 'notice' => __( 'This order cannot be paid this way. Please choose another way to pay.', 'kutip-for-woocommerce' ) );
		}
		$order->update_meta_data( Orders::LINK, $link['_id'] );
		$order->update_meta_data( Orders::LINKS, array_values( array_unique( array_merge( Orders::texts( $order, Orders::LINKS ), array( $link['_id'] ) ) ) ) );
		$order->save();
		/* translators: 1: amount, 2: id of the payment link, 3: test or live */
		$order->add_order_note( sprintf( __( 'Kutip: payment link over %1$s (%2$s, %3$s mode).', 'kutip-for-woocommerce' ), Amount::shown( $total, $order->get_currency() ), $link['_id'], Settings::mode() ) );
		return array( 'url' => (string) $link['payment_url'] );
	}

	/** Kutip takes 50 characters. */
	private static function title( \WC_Order $order ): string {
		/* translators: 1: number of the order, 2: name of the shop */
		$text  = sprintf( __( 'Order %1$s – %2$s', 'kutip-for-woocommerce' ), $order->get_order_number(), wp_specialchars_decode( get_bloginfo( 'name' ), ENT_QUOTES ) );
		$clean = (string) preg_replace( array( '/\s+/u', '/^[\s–]+|[\s–]+$/u' ), array( ' ', '' ), $text );
		return trim( 1 === preg_match( '/^.{0,50}/u', $clean, $start ) ? $start[0] : 'Order ' . $order->get_id() );
	}

	/**
	 * Where Kutip did not say what became of a link that the order has: its payer may have paid it.
	 *
	 * @return array{notice: string}
	 */
	private static function unseen( \WC_Order $order, Answer $answer ): array {
		/* translators: %s: why */
		$order->add_order_note( sprintf( __( 'Kutip did not say what became of the payment link: %s The payer was asked not to pay again.', 'kutip-for-woocommerce' ), self::sentence( $answer->words( $order->get_currency() ) ) ) );
		return array( 'notice' => __( 'We cannot see right now whether your payment went through. Please do not pay again; try again in a few minutes or ask the shop.', 'kutip-for-woocommerce' ) );
	}

	/** @return array{notice: string} */
	private static function no_answer( \WC_Order $order, Answer $answer ): array {
		/* translators: %s: what went wrong */
		$order->add_order_note( sprintf( __( 'Kutip did not answer when the payer wanted to pay: %s The order waits; the payer can try again.', 'kutip-for-woocommerce' ), self::sentence( $answer->words( $order->get_currency() ) ) ) );
		return array( 'notice' => __( 'The payment service does not answer right now. Your order is saved. Nothing was charged; please try again in a moment.', 'kutip-for-woocommerce' ) );
	}

	/** @return array{notice: string} */
	private static function refused( \WC_Order $order, Answer $answer ): array {
		/* translators: %s: why */
		$order->add_order_note( sprintf( __( 'Kutip made no payment link: %s', 'kutip-for-woocommerce' ), self::sentence( $answer->words( $order->get_currency() ) ) ) );
		return array( 'notice' => __( 'This order cannot be paid this way. Nothing was charged; please choose another way to pay or ask the shop.', 'kutip-for-woocommerce' ) );
	}

	private static function sentence( string $text ): string {
		return rtrim( $text, '. ' ) . '.';
	}

	/** `ok` also where the link is cancelled already. */
	private static function cancel( string $link_id ): Answer {
		$path   = '/payment-links/' . rawurlencode( $link_id );
		$answer = Api::post( "$path/cancel", array(), 'wc-cancel-' . wp_generate_uuid4() );
		if ( 409 !== $answer->status || 'refused' !== $answer->kind ) {
			return $answer;
		}
		$link = Api::get( $path );
		return 'ok' === $link->kind && 'Cancelled' === ( $link->data['status'] ?? '' ) ? $link : $answer;
	}

	/** The order's link has ended: the next one is of another generation, so that Kutip does not return this one again. */
	private static function forget( \WC_Order $order ): void {
		$order->update_meta_data( Orders::GENERATION, (string) ( (int) $order->get_meta( Orders::GENERATION ) + 1 ) );
		$order->delete_meta_data( Orders::LINK );
		$order->save();
	}

	/**
	 * Cancels the link of an order that is cancelled, and tries again later when Kutip does not answer or the link is just being made.
	 *
	 * @param int|string $order_id The order.
	 * @param mixed      $tries    How often it was tried before; WooCommerce's own hook gives the order instead.
	 */
	public static function cancel_of_order( $order_id, $tries = 0 ): void {
		$id    = (int) $order_id;
		$tries = is_int( $tries ) ? $tries : 0;
		try {
			Lock::hold(
				$id,
				static function () use ( $id, $tries ): void {
					self::cancel_with( $id, $tries );
				}
			);
		} catch ( Busy $busy ) {
			$order = Orders::find_any( $id );
			if ( null !== $order && $order->has_status( 'cancelled' ) ) {
				self::cancel_later( $order, $tries );
			}
		}
	}

	/** Cancels the link of an order that is locked, if the order is cancelled. Returns whether it is. */
	public static function cancel_with( int $order_id, int $tries ): bool {
		$order = Orders::find_any( $order_id );
		if ( null === $order || ! $order->has_status( 'cancelled' ) ) {
			return false;
		}
		$link = (string) $order->get_meta( Orders::LINK );
		if ( '' === $link ) {
			return true;
		}
		$answer = self::cancel( $link );
		if ( 'ok' === $answer->kind ) {
			self::forget( $order );
			$order->add_order_note( __( 'Kutip: the payment link was cancelled too. Nobody can pay it now.', 'kutip-for-woocommerce' ) );
		} elseif ( 'refused' === $answer->kind ) {
			/* translators: %s: why */
			$order->add_order_note( sprintf( __( 'Kutip did not cancel the payment link: %s If money arrives, this order gets a note.', 'kutip-for-woocommerce' ), self::sentence( $answer->words( $order->get_currency() ) ) ) );
		} else {
			self::cancel_later( $order, $tries );
		}
		return true;
	}

	private static function cancel_later( \WC_Order $order, int $tries ): void {
		if ( $tries >= self::MOST_RETRIES || ! function_exists( 'as_schedule_single_action' ) ) {
			$order->add_order_note( __( 'The payment link was not cancelled and can still be paid. Please cancel it in Kutip.', 'kutip-for-woocommerce' ) );
			return;
		}
		as_schedule_single_action( time() + self::RETRY_SECONDS, 'kutip_cancel_link', array( $order->get_id(), $tries + 1 ) );
		if ( 0 === $tries ) {
			$order->add_order_note( __( 'The payment link is not cancelled yet and can still be paid. The shop tries again to cancel it.', 'kutip-for-woocommerce' ) );
		}
	}
}

<?php
/**
 * Links that must not be paid any more.
 *
 * @package Kutip\WooCommerce
 */

declare( strict_types=1 );

namespace Kutip\WooCommerce;

/**
 * Cancels the link of an order that asks for no money any more, or for other money. WooCommerce's hooks only look at the order: a scheduled action calls
 * Kutip, so that neither payers nor staff wait.
 */
final class Cancellations {
	private const HOOK          = 'kutip_cancel_link';
	private const RETRY_SECONDS = 300;
	private const MOST_RETRIES  = 12;

	/**
	 * After an order was saved or put into the bin. Other kinds of posts have no order.
	 *
	 * @param int|string $order_id The order.
	 */
	public static function look( $order_id ): void {
		$order = Orders::find_any( (int) $order_id );
		if ( null !== $order && self::is_unwanted( $order ) ) {
			self::schedule( time(), array( (int) $order_id, 0, '', '' ) );
		}
	}

	/**
	 * Before an order is deleted: the action then has to do without it.
	 *
	 * @param int|string $order_id The order.
	 */
	public static function before_delete( $order_id ): void {
		$order = Orders::find_any( (int) $order_id );
		if ( null !== $order && self::is_open( $order ) ) {
			$request = Orders::kept( $order, Orders::REQUEST );
			self::schedule( time(), array( (int) $order_id, 0, (string) $order->get_meta( Orders::LINK ), (string) ( $request['body']['redirect_url'] ?? '' ) ) );
		}
	}

	/**
	 * Cancels the link of an order, and tries again later where it can still be paid.
	 *
	 * @param int|string $order_id   The order.
	 * @param int|string $tries      How often it was tried before.
	 * @param string     $link       The link of an order that is deleted; empty where its id is not known.
	 * @param string     $return_url Where the payer of an order that is deleted came back to.
	 */
	public static function work( $order_id, $tries = 0, $link = '', $return_url = '' ): void {
		$id = (int) $order_id;
		try {
			$is_left = Lock::hold(
				$id,
				static function () use ( $id, $link, $return_url ): bool {
					$order = Orders::find_any( $id );
					return null === $order ? self::is_left_alone( $id, (string) $link, (string) $return_url ) : self::is_left( $order );
				}
			);
		} catch ( Busy $busy ) {
			$is_left = true;
		}
		if ( $is_left ) {
			self::try_again( $id, (int) $tries, (string) $link, (string) $return_url );
		}
	}

	/** Whether an order has a link, or may have one, that did not pay it. */
	private static function is_open( \WC_Order $order ): bool {
		return '' === (string) $order->get_meta( Orders::PAYMENT ) && ( '' !== (string) $order->get_meta( Orders::LINK ) || null !== Orders::kept( $order, Orders::REQUEST ) );
	}

	/** Whether the link of an order must not be paid. */
	private static function is_unwanted( \WC_Order $order ): bool {
		$link = (string) $order->get_meta( Orders::LINK );
		if ( ! self::is_open( $order ) || ( '' !== $link && (string) $order->get_meta( Orders::KEPT ) === $link ) ) {
			return false;
		}
		$request = Orders::kept( $order, Orders::REQUEST );
		return Orders::is_over( $order ) || ( null !== $request && ! Links::is_same( $order, $request['body'] ) );
	}

	/** Cancels the link of an order that is locked, if it must not be paid. Returns whether it can still be paid. */
	private static function is_left( \WC_Order $order ): bool {
		if ( ! self::is_unwanted( $order ) ) {
			return false;
		}
		if ( null !== Links::recover( $order ) ) {
			return true;
		}
		$link = (string) $order->get_meta( Orders::LINK );
		if ( '' === $link ) {
			return false;
		}
		$answer = Links::cancel( $link );
		$status = (string) ( $answer->data['status'] ?? '' );
		if ( 'Cancelled' === $status ) {
			Links::forget( $order );
			$order->add_order_note(
				Orders::is_over( $order )
					? __( 'Kutip: this order asks for no more money, so its payment link was cancelled. Nobody can pay it now.', 'kutip-for-woocommerce' )
					: __( 'Kutip: this order was changed, so its payment link was cancelled. The payer gets another one on paying in the shop.', 'kutip-for-woocommerce' )
			);
			return false;
		}
		if ( 404 !== $answer->status && ! in_array( $status, array( 'Paid', 'Processing' ), true ) ) {
			return true;
		}
		// It is looked at again after the next event of a payment.
		$order->update_meta_data( Orders::KEPT, $link );
		$order->save();
		if ( 'Paid' !== $status ) {
			$why = 'Processing' === $status ? __( 'A payment is being processed.', 'kutip-for-woocommerce' ) : Links::sentence( $answer->words( $order->get_currency() ) );
			/* translators: %s: why */
			$order->add_order_note( sprintf( __( 'Kutip did not cancel the payment link: %s If money arrives, this order gets a note.', 'kutip-for-woocommerce' ), $why ) );
		}
		return false;
	}

	/** Cancels the link of an order that is deleted. Returns whether it can still be paid, as far as that is known. */
	private static function is_left_alone( int $order_id, string $link, string $return_url ): bool {
		if ( '' === $link && '' !== $return_url ) {
			$list = Links::listed( $order_id );
			if ( 'ok' !== $list->kind ) {
				return true;
			}
			$link = Links::one_of( $list, $return_url, array() );
		}
		if ( '' === $link ) {
			return false;
		}
		$answer = Links::cancel( $link );
		return 404 !== $answer->status && ! in_array( $answer->data['status'] ?? '', array( 'Cancelled', 'Paid' ), true );
	}

	private static function try_again( int $order_id, int $tries, string $link, string $return_url ): void {
		$is_last = $tries >= self::MOST_RETRIES;
		if ( ! $is_last ) {
			self::schedule( time() + self::RETRY_SECONDS, array( $order_id, $tries + 1, $link, $return_url ) );
		}
		$order = $is_last || 0 === $tries ? Orders::find_any( $order_id ) : null;
		if ( null !== $order && self::is_unwanted( $order ) ) {
			$order->add_order_note(
				$is_last
					? __( 'The payment link was not cancelled and can still be paid. Please cancel it in Kutip.', 'kutip-for-woocommerce' )
					: __( 'The payment link is not cancelled yet and can still be paid. The shop tries again to cancel it.', 'kutip-for-woocommerce' )
			);
		}
	}

	/**
	 * One action for each moment that an order changed in, however often it is saved. One that runs already may have read the order before.
	 *
	 * @param array{0: int, 1: int, 2: string, 3: string} $given What `work` gets.
	 */
	private static function schedule( int $at, array $given ): void {
		$waiting = array(
			'hook'   => self::HOOK,
			'args'   => $given,
			'status' => 'pending',
		);
		if ( array() === as_get_scheduled_actions( $waiting, 'ids' ) ) {
			as_schedule_single_action( $at, self::HOOK, $given );
		}
	}
}

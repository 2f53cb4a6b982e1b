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
	private const RETRIES       = 12;
	/** A payment may be processed for days. */
	private const SLOW_SECONDS = 3600;
	private const SLOW_RETRIES = 168;

	/**
	 * After an order was saved or put into the bin. Other kinds of posts have no order.
	 *
	 * @param int|string $order_id The order.
	 */
	public static function look( $order_id ): void {
		$order = Orders::find_any( (int) $order_id );
		if ( null !== $order && self::is_unwanted( $order ) ) {
			self::schedule( time(), array( (int) $order_id, 0, '', '', '' ) );
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
			$link    = (string) $order->get_meta( Orders::LINK );
			self::schedule( time(), array( (int) $order_id, 0, $link, (string) ( $request['body']['redirect_url'] ?? '' ), (string) ( $request['mode'] ?? '' ) ) );
		}
	}

	/**
	 * Cancels the link of an order, and tries again later where it can still be paid.
	 *
	 * @param int|string $order_id   The order.
	 * @param int|string $tries      How often it was tried before.
	 * @param string     $link       The link of an order that is deleted; empty where its id is not known.
	 * @param string     $return_url Where the payer of an order that is deleted came back to.
	 * @param string     $mode       The mode of the link of an order that is deleted.
	 */
	public static function work( $order_id, $tries = 0, $link = '', $return_url = '', $mode = '' ): void {
		$id = (int) $order_id;
		try {
			$why = Lock::hold(
				$id,
				static function () use ( $id, $link, $return_url, $mode ): string {
					$order = Orders::find_any( $id );
					return null === $order ? self::cancel_of_deleted( $id, (string) $link, (string) $return_url, (string) $mode ) : self::cancel_of( $order );
				}
			);
		} catch ( Busy $busy ) {
			$why = __( 'Another process works on this order.', 'kutip-for-woocommerce' );
		}
		if ( '' !== $why ) {
			self::try_again( array( $id, (int) $tries, (string) $link, (string) $return_url, (string) $mode ), $why );
		}
	}

	/** Whether an order has a link, or may have one, that did not pay it. */
	private static function is_open( \WC_Order $order ): bool {
		$link    = (string) $order->get_meta( Orders::LINK );
		$is_paid = '' !== (string) $order->get_meta( Orders::PAYMENT ) && in_array( (string) $order->get_meta( Orders::PAID_LINK ), array( '', $link ), true );
		return ! $is_paid && ( '' !== $link || null !== Orders::kept( $order, Orders::REQUEST ) );
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

	/** Cancels the link of an order that is locked, if it must not be paid. Returns why it can still be paid; empty where it cannot. */
	private static function cancel_of( \WC_Order $order ): string {
		if ( ! self::is_unwanted( $order ) ) {
			if ( '' !== (string) $order->get_meta( Orders::RETRIED ) ) {
				$order->delete_meta_data( Orders::RETRIED );
				$order->save();
			}
			return '';
		}
		$lost = Links::recover( $order );
		if ( '' !== $lost ) {
			return $lost;
		}
		$link = (string) $order->get_meta( Orders::LINK );
		if ( '' === $link ) {
			return '';
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
			return '';
		}
		if ( 404 !== $answer->status && 'Paid' !== $status ) {
			return self::why_left( $answer, $order );
		}
		// It is looked at again after the next event of a payment.
		$order->update_meta_data( Orders::KEPT, $link );
		$order->delete_meta_data( Orders::RETRIED );
		$order->save();
		if ( 'Paid' !== $status ) {
			/* translators: %s: why */
			$order->add_order_note( sprintf( __( 'Kutip did not cancel the payment link: %s If money arrives, this order gets a note.', 'kutip-for-woocommerce' ), Links::why( $answer, $order ) ) );
		}
		return '';
	}

	/** Cancels the link of an order that is deleted. Returns why it can still be paid, as far as that is known. */
	private static function cancel_of_deleted( int $order_id, string $link, string $return_url, string $mode ): string {
		if ( Links::is_void( $mode ) ) {
			return '';
		}
		if ( Links::is_of_other_mode( $mode ) ) {
			return Links::needs_key( $mode );
		}
		if ( '' === $link && '' !== $return_url ) {
			$list = Links::listed( $order_id );
			if ( 'ok' !== $list->kind ) {
				return self::why_left( $list, null );
			}
			$link = Links::one_of( $list, $return_url, array() );
		}
		if ( '' === $link ) {
			return '';
		}
		$answer = Links::cancel( $link );
		$is_out = 404 === $answer->status || in_array( $answer->data['status'] ?? '', array( 'Cancelled', 'Paid' ), true );
		return $is_out ? '' : self::why_left( $answer, null );
	}

	private static function why_left( Answer $answer, ?\WC_Order $order ): string {
		return 'Processing' === ( $answer->data['status'] ?? '' )
			? __( 'A payment is being processed.', 'kutip-for-woocommerce' )
			: Links::why( $answer, $order );
	}

	/**
	 * A link whose payment brings no money can be paid again, and Kutip sends no event then: only another look shows it.
	 *
	 * @param array{0: int, 1: int, 2: string, 3: string, 4: string} $given What `work` got.
	 */
	private static function try_again( array $given, string $why ): void {
		list( $order_id, $tries ) = $given;

		$order      = Orders::find_any( $order_id );
		$generation = null === $order ? '' : 'of-' . (int) $order->get_meta( Orders::GENERATION );
		if ( 0 === $tries && null !== $order && (string) $order->get_meta( Orders::RETRIED ) === $generation ) {
			// The order was saved once more. Its other action goes on.
			return;
		}
		$is_last = $tries >= self::RETRIES + self::SLOW_RETRIES;
		if ( ! $is_last ) {
			self::schedule( time() + ( $tries < self::RETRIES ? self::RETRY_SECONDS : self::SLOW_SECONDS ), array_replace( $given, array( 1 => $tries + 1 ) ) );
		}
		if ( null === $order || ! self::is_unwanted( $order ) ) {
			return;
		}
		if ( 0 === $tries ) {
			$order->update_meta_data( Orders::RETRIED, $generation );
			$order->save();
			self::note_left( $order, $why, __( 'The shop tries again to cancel it.', 'kutip-for-woocommerce' ) );
		} elseif ( self::RETRIES === $tries ) {
			self::note_left( $order, $why, __( 'It could not be cancelled for an hour. The shop tries again every hour for a week. Please look at it in Kutip.', 'kutip-for-woocommerce' ) );
		} elseif ( $is_last ) {
			self::note_left( $order, $why, __( 'It could not be cancelled for a week. Please cancel it in Kutip.', 'kutip-for-woocommerce' ) );
		}
	}

	private static function note_left( \WC_Order $order, string $why, string $next ): void {
		$what = '' === (string) $order->get_meta( Orders::LINK )
			/* translators: %d: id of the order */
			? sprintf( __( 'Kutip: a payment link with the reference %d may have been made. If so, it can still be paid.', 'kutip-for-woocommerce' ), $order->get_id() )
			: __( 'Kutip: the payment link is not cancelled and can still be paid.', 'kutip-for-woocommerce' );
		$order->add_order_note( "$what $why $next" );
	}

	/**
	 * One action for each moment that an order changed in, however often it is saved. One that runs already may have read the order before.
	 *
	 * @param array{0: int, 1: int, 2: string, 3: string, 4: string} $given What `work` gets.
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

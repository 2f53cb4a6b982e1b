<?php
/**
 * What the plugin keeps with an order.
 *
 * @package Kutip\WooCommerce
 */

declare( strict_types=1 );

namespace Kutip\WooCommerce;

/** Reads and writes orders through WooCommerce's own methods, wherever the shop stores them. */
final class Orders {
	/** The order that all these values belong to. Other plugins copy them into subscriptions, renewals and duplicates. */
	public const OWNER = '_kutip_order';
	/** The link that the payer is sent to, and how many links the order has had. */
	public const LINK       = '_kutip_link_id';
	public const GENERATION = '_kutip_link_generation';
	/** What was sent to make the order's link, with its key. It is written before the call: without a link, its answer was lost. */
	public const REQUEST = '_kutip_link_request';
	/** The link that Kutip does not cancel, since it is paid, or since Kutip has none of this id. */
	public const KEPT = '_kutip_kept_link';
	/** The generation of the link that an action tries again to cancel. */
	public const RETRIED = '_kutip_retried_link';
	/** Every link of the order, so that late money is recognised. */
	public const LINKS = '_kutip_links';
	/** The payment that made the order paid. */
	public const PAYMENT = '_kutip_payment_id';
	/** The link through which that payment came. */
	public const PAID_LINK = '_kutip_paid_link';
	/** That payment, once it was given back in full and the order asks for its money again. */
	public const RETURNED = '_kutip_returned_payment';
	/** Events that were worked, newest last. */
	public const EVENTS = '_kutip_events';
	/** The refund that was sent and has no outcome yet. */
	public const REFUND = '_kutip_open_refund';
	/** What Kutip gave back and WooCommerce has recorded, in minor units. */
	public const REFUNDED = '_kutip_refunded';

	private const ALL         = array( self::OWNER, self::LINK, self::GENERATION, self::REQUEST, self::KEPT, self::RETRIED, self::LINKS, self::PAYMENT, self::PAID_LINK, self::RETURNED, self::EVENTS, self::REFUND, self::REFUNDED );
	private const MOST_EVENTS = 100;

	/** An order that is paid by Kutip, with its stored values as they are now; null for another. */
	public static function find( int $id ): ?\WC_Order {
		$order = self::find_any( $id );
		return null !== $order && self::is_of_kutip( $order ) ? $order : null;
	}

	/** An order, whatever its payment method is now. An order keeps its links when another method is chosen, and money may still arrive through them. */
	public static function find_any( int $id ): ?\WC_Order {
		// WordPress and WooCommerce keep what a request has read of an order, and another process may have changed it since.
		clean_post_cache( $id );
		$order = wc_get_order( $id );
		if ( ! $order instanceof \WC_Order ) {
			return null;
		}
		$store = $order->get_data_store();
		// Order tables have a cache of their own. Where there is none, WooCommerce ignores the call.
		$store->clear_cached_data( array( $id ) );
		try {
			$store->read( $order );
		} catch ( \Exception $error ) {
			// It was deleted meanwhile.
			return null;
		}
		$order->read_meta_data( true );
		if ( self::is_copy( $order ) ) {
			// The next save stores that.
			array_map( array( $order, 'delete_meta_data' ), self::ALL );
		}
		return $order;
	}

	/** Whether an order has the link and the payment of another one. */
	private static function is_copy( \WC_Order $order ): bool {
		$owner = (string) $order->get_meta( self::OWNER );
		if ( '' === $owner ) {
			$owner = (string) ( self::kept( $order, self::REQUEST )['body']['reference'] ?? '' );
		}
		return ! in_array( $owner, array( '', (string) $order->get_id() ), true );
	}

	/** Whether WooCommerce counts an order as paid, also in a status that is not its own. */
	public static function is_paid( \WC_Order $order ): bool {
		return $order->is_paid() || null !== $order->get_date_paid();
	}

	/** Whether an order has ended: no payment pays it any more. */
	public static function has_ended( \WC_Order $order ): bool {
		return $order->has_status( array( 'cancelled', 'refunded', 'trash' ) );
	}

	/** Whether an order has its money. One that was paid and waits for money again has not: WooCommerce keeps the date on which it was paid. */
	public static function is_settled( \WC_Order $order ): bool {
		return self::is_paid( $order ) && ! $order->has_status( array( 'pending', 'failed' ) );
	}

	/** Whether an order asks for no money any more. */
	public static function is_over( \WC_Order $order ): bool {
		return self::has_ended( $order ) || self::is_settled( $order );
	}

	/** Whether Kutip is the payment method of an order. */
	public static function is_of_kutip( \WC_Order $order ): bool {
		return GATEWAY === $order->get_payment_method();
	}

	/** What the order costs, in minor units. */
	public static function total( \WC_Order $order ): int {
		return Amount::to_minor( (string) $order->get_total( 'edit' ), $order->get_currency() );
	}

	/** @return string[] */
	public static function texts( \WC_Order $order, string $name ): array {
		$list = $order->get_meta( $name );
		return is_array( $list ) ? array_values( array_filter( $list, 'is_string' ) ) : array();
	}

	/**
	 * What was kept with an order under a name; null for nothing.
	 *
	 * @return array<string, mixed>|null
	 */
	public static function kept( \WC_Order $order, string $name ): ?array {
		$values = $order->get_meta( $name );
		// They were arrays once.
		$values = is_string( $values ) ? json_decode( $values, true ) : $values;
		return is_array( $values ) ? $values : null;
	}

	/**
	 * Keeps values as text, so that the same call can be sent again: where orders are posts, WordPress takes backslashes out of arrays.
	 *
	 * @param array<string, mixed> $values The values.
	 */
	public static function keep( \WC_Order $order, string $name, array $values ): void {
		$order->update_meta_data( $name, (string) wp_json_encode( $values ) );
		$order->save();
	}

	/** Whether the payment that paid an order was given back in full, and another one may pay it. */
	public static function is_returned( \WC_Order $order ): bool {
		$payment = (string) $order->get_meta( self::PAYMENT );
		return '' !== $payment && (string) $order->get_meta( self::RETURNED ) === $payment;
	}

	/**
	 * Keeps the payment that pays the order. Saving is the caller's.
	 *
	 * @param array<string, mixed> $payment The payment.
	 */
	public static function keep_payment( \WC_Order $order, array $payment ): void {
		$id = (string) ( $payment['_id'] ?? '' );
		if ( (string) $order->get_meta( self::PAYMENT ) !== $id ) {
			array_map( array( $order, 'delete_meta_data' ), array( self::RETURNED, self::REFUND, self::REFUNDED ) );
		}
		$order->update_meta_data( self::PAYMENT, $id );
		$order->update_meta_data( self::PAID_LINK, (string) ( $payment['payment_link_id'] ?? '' ) );
	}

	/** Whether a payment is the one that pays the order. */
	public static function is_payment( \WC_Order $order, string $payment_id ): bool {
		return '' !== $payment_id && in_array( $payment_id, array( (string) $order->get_meta( self::PAYMENT ), (string) $order->get_transaction_id() ), true );
	}

	/** Whether an event was worked before. */
	public static function knows( \WC_Order $order, string $event_id ): bool {
		return in_array( $event_id, self::texts( $order, self::EVENTS ), true );
	}

	/** Remembers an event that was worked. */
	public static function remember( \WC_Order $order, string $event_id ): void {
		$events   = self::texts( $order, self::EVENTS );
		$events[] = $event_id;
		$order->update_meta_data( self::EVENTS, array_slice( $events, -self::MOST_EVENTS ) );
		$order->save();
	}
}

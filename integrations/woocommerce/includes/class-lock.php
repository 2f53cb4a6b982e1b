<?php
/**
 * One process at a time works on an order.
 *
 * @package Kutip\WooCommerce
 */

declare( strict_types=1 );

namespace Kutip\WooCommerce;

/** A lock of the database's session: it ends with the process that holds it. */
final class Lock {
	private const WAIT_SECONDS = 25;

	/**
	 * Does the work on an order while no other process does.
	 *
	 * @param callable $work Returns what the caller gets.
	 * @return mixed
	 * @throws Busy When another process does not finish in time.
	 */
	public static function hold( int $order_id, callable $work ) {
		global $wpdb;
		$name = 'kutip_' . md5( $wpdb->prefix . $order_id );
		// phpcs:ignore WordPress.DB.DirectDatabaseQuery -- WordPress has no lock of its own.
		if ( '1' !== (string) $wpdb->get_var( $wpdb->prepare( 'SELECT GET_LOCK(%s, %d)', $name, self::WAIT_SECONDS ) ) ) {
			throw new Busy( 'Another process works on this order.' );
		}
		try {
			return $work();
		} finally {
			// phpcs:ignore WordPress.DB.DirectDatabaseQuery
			$wpdb->get_var( $wpdb->prepare( 'SELECT RELEASE_LOCK(%s)', $name ) );
		}
	}
}

/** Another process works on the same order. */
final class Busy extends \RuntimeException {
}

<?php
/**
 * The settings of the gateway.
 *
 * @package Kutip\WooCommerce
 */

declare( strict_types=1 );

namespace Kutip\WooCommerce;

/** Reads them from the option in which WooCommerce keeps them. */
final class Settings {
	private static function text( string $name ): string {
		$all = get_option( 'woocommerce_' . GATEWAY . '_settings', array() );
		return is_array( $all ) && is_string( $all[ $name ] ?? null ) ? trim( $all[ $name ] ) : '';
	}

	/** What payers read as the name of the payment method. */
	public static function title(): string {
		return self::text( 'title' );
	}

	/** Where Kutip is, without a slash at the end. */
	public static function address(): string {
		return rtrim( self::text( 'address' ), '/' );
	}

	/** The secret that calls Kutip. */
	public static function api_key(): string {
		return self::text( 'api_key' );
	}

	/** The secret that signs webhooks. */
	public static function webhook_secret(): string {
		return self::text( 'webhook_secret' );
	}

	/** `test` or `live`, by the API key; empty without a key. */
	public static function mode(): string {
		return 1 === preg_match( '/^sk_(test|live)_/', self::api_key(), $found ) ? $found[1] : '';
	}

	/** Why no payer can pay yet, for staff; empty when everything is there. */
	public static function problem(): string {
		if ( 1 !== preg_match( '#^https?://[^/\s]+(?:/[^\s]*)?$#D', self::address() ) ) {
			return __( 'The address of Kutip is missing.', 'kutip-for-woocommerce' );
		}
		if ( '' === self::mode() ) {
			return __( 'The API key is missing. It begins with sk_test_ or sk_live_.', 'kutip-for-woocommerce' );
		}
		if ( null === Signature::key_of( self::webhook_secret() ) ) {
			return __( 'The webhook secret is missing. It begins with whsec_. Without it no order would become paid.', 'kutip-for-woocommerce' );
		}
		return '';
	}
}

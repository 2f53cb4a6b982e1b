<?php
/**
 * The signature of webhooks.
 *
 * @package Kutip\WooCommerce
 */

declare( strict_types=1 );

namespace Kutip\WooCommerce;

/** Checks that Kutip sent a body, and sent it lately. */
final class Signature {
	private const TOLERANCE_SECONDS = 300;

	/** The bytes of a secret; null for a text that is none. */
	public static function key_of( string $secret ): ?string {
		if ( 0 !== strpos( $secret, 'whsec_' ) ) {
			return null;
		}
		$key = base64_decode( substr( $secret, strlen( 'whsec_' ) ), true );
		return false === $key || strlen( $key ) < 16 ? null : $key;
	}

	/** Whether a body, as the bytes that came, is signed by the secret at a moment near `now` (Unix seconds). */
	public static function is_genuine( string $secret, string $id, string $timestamp, string $signatures, string $body, int $now ): bool {
		$key = self::key_of( $secret );
		if ( null === $key || '' === $id || 1 !== preg_match( '/^\d{1,12}$/D', $timestamp ) || abs( $now - (int) $timestamp ) > self::TOLERANCE_SECONDS ) {
			return false;
		}
		$expected = 'v1,' . base64_encode( hash_hmac( 'sha256', "$id.$timestamp.$body", $key, true ) );
		$genuine  = false;
		// While a secret is rotated there are two signatures.
		foreach ( explode( ' ', $signatures ) as $one ) {
			$genuine = hash_equals( $expected, $one ) || $genuine;
		}
		return $genuine;
	}
}

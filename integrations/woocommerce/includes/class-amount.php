<?php
/**
 * Amounts, as decimal text and in minor units.
 *
 * @package Kutip\WooCommerce
 */

declare( strict_types=1 );

namespace Kutip\WooCommerce;

/** Converts text to minor units and back without floating point. */
final class Amount {
	/** Currencies without a minor unit, and with three digits, by ISO 4217. The others have two. */
	private const NONE  = array( 'BIF', 'CLP', 'DJF', 'GNF', 'ISK', 'JPY', 'KMF', 'KRW', 'PYG', 'RWF', 'UGX', 'VND', 'VUV', 'XAF', 'XOF', 'XPF' );
	private const THREE = array( 'BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND' );

	/** Digits after the decimal point of a currency. */
	public static function digits( string $currency ): int {
		if ( in_array( $currency, self::NONE, true ) ) {
			return 0;
		}
		return in_array( $currency, self::THREE, true ) ? 3 : 2;
	}

	/**
	 * Minor units of a decimal text such as "12.50".
	 *
	 * @throws \InvalidArgumentException For a text that is no amount of this currency: a sign, a separator, a digit too many.
	 */
	public static function to_minor( string $text, string $currency ): int {
		$digits = self::digits( $currency );
		if ( 1 !== preg_match( '/^(\d{1,12})(?:\.(\d{1,12}))?$/D', trim( $text ), $parts ) ) {
			throw new \InvalidArgumentException( 'not an amount' );
		}
		$fraction = $parts[2] ?? '';
		if ( '' !== trim( substr( $fraction, $digits ), '0' ) ) {
			throw new \InvalidArgumentException( 'more digits than the currency has' );
		}
		return (int) ( $parts[1] . substr( str_pad( $fraction, $digits, '0' ), 0, $digits ) );
	}

	/** Decimal text of minor units, such as "12.50". */
	public static function to_text( int $minor, string $currency ): string {
		$digits = self::digits( $currency );
		if ( 0 === $digits ) {
			return (string) $minor;
		}
		$text = str_pad( (string) $minor, $digits + 1, '0', STR_PAD_LEFT );
		return substr( $text, 0, -$digits ) . '.' . substr( $text, -$digits );
	}

	/** For notes: "MYR 12.50". */
	public static function shown( int $minor, string $currency ): string {
		return $currency . ' ' . self::to_text( $minor, $currency );
	}
}

<?php
/**
 * What came of a call to Kutip.
 *
 * @package Kutip\WooCommerce
 */

declare( strict_types=1 );

namespace Kutip\WooCommerce;

/** `ok`: the record is in `data`. `refused`: nothing was done. `unknown`: it may have been done, and the call may be sent again under its key. */
final class Answer {
	/** @var string One of ok, refused, unknown. */
	public $kind;
	/** @var array<string, mixed> The record, of an `ok`. */
	public $data;
	/** @var int The HTTP status; 0 without an answer. */
	public $status;
	/** @var string Kutip's code of a refusal, such as refund_unsupported; empty without one. */
	public $code;
	/** @var string */
	private $message;
	/** @var array<string, mixed> What is wrong with which field, of a refusal. */
	private $errors;

	/**
	 * @param array<string, mixed> $data   The record.
	 * @param array<string, mixed> $errors What is wrong with which field.
	 */
	private function __construct( string $kind, array $data, string $message, int $status, array $errors = array(), string $code = '' ) {
		$this->kind    = $kind;
		$this->data    = $data;
		$this->message = $message;
		$this->status  = $status;
		$this->errors  = $errors;
		$this->code    = $code;
	}

	/**
	 * Reads what WordPress's HTTP API returned.
	 *
	 * @param array<string, mixed>|\WP_Error $response The response.
	 */
	public static function of( $response ): self {
		if ( is_wp_error( $response ) ) {
			return new self( 'unknown', array(), $response->get_error_message(), 0 );
		}
		$status = (int) wp_remote_retrieve_response_code( $response );
		$body   = json_decode( wp_remote_retrieve_body( $response ), true );
		if ( 200 === $status && is_array( $body ) && true === ( $body['success'] ?? null ) && is_array( $body['data'] ?? null ) ) {
			return new self( 'ok', $body['data'], '', $status );
		}
		$message = is_array( $body ) && is_string( $body['message'] ?? null ) ? $body['message'] : 'Kutip gave no definite answer.';
		// 409 with Retry-After: the same call is still running. 408 and 429: it was not looked at, and may be sent again.
		$again = in_array( $status, array( 408, 429 ), true ) || ( 409 === $status && '' !== (string) wp_remote_retrieve_header( $response, 'retry-after' ) );
		if ( ! is_array( $body ) || $again || $status < 400 || $status > 499 ) {
			return new self( 'unknown', array(), $message, $status );
		}
		return new self( 'refused', array(), $message, $status, is_array( $body['errors'] ?? null ) ? $body['errors'] : array(), is_string( $body['code'] ?? null ) ? $body['code'] : '' );
	}

	/** What went wrong, in plain words for staff. Kutip names amounts in minor units; staff read "MYR 5.00". */
	public function words( string $currency ): string {
		$words = array();
		foreach ( $this->errors as $field => $texts ) {
			foreach ( (array) $texts as $text ) {
				if ( is_string( $text ) ) {
					$words[] = 'amount' === $field ? self::in_major_units( $text, $currency ) : $text;
				}
			}
		}
		return array() === $words ? $this->message : implode( ' ', $words );
	}

	/** A text may name the currency after the number already: "1000 in THB". */
	private static function in_major_units( string $text, string $currency ): string {
		return (string) preg_replace_callback(
			'/\b\d+\b(?: in ' . preg_quote( $currency, '/' ) . '\b)?/',
			static function ( array $found ) use ( $currency ): string {
				return Amount::shown( (int) $found[0], $currency );
			},
			$text
		);
	}
}

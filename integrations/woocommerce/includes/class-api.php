<?php
/**
 * Calls to Kutip's API.
 *
 * @package Kutip\WooCommerce
 */

declare( strict_types=1 );

namespace Kutip\WooCommerce;

/** One call each; a write is sent under an idempotency key, so that it can be sent again. */
final class Api {
	/** For so long a write is sent again under its key. Kutip keeps the answer to a key for 72 hours. */
	public const KEY_SECONDS = 48 * 3600;

	private const TIMEOUT_SECONDS = 20;

	/** Reads a record. */
	public static function get( string $path ): Answer {
		return self::send( 'GET', $path, null, null );
	}

	/** @param array<string, mixed> $body What is written. */
	public static function post( string $path, array $body, string $key ): Answer {
		return self::send( 'POST', $path, $body, $key );
	}

	/** @param array<string, mixed>|null $body What is written; null for a read. */
	private static function send( string $method, string $path, ?array $body, ?string $key ): Answer {
		$headers = array(
			'Accept'        => 'application/json',
			'Authorization' => 'Bearer ' . Settings::api_key(),
		);
		$request = array(
			'method'      => $method,
			'timeout'     => self::TIMEOUT_SECONDS,
			'redirection' => 0,
			'user-agent'  => 'Kutip-for-WooCommerce/' . VERSION,
		);
		if ( null !== $body ) {
			$headers['Content-Type']    = 'application/json';
			$headers['Idempotency-Key'] = (string) $key;
			$request['body']            = (string) wp_json_encode( (object) $body );
		}
		$request['headers'] = $headers;
		return Answer::of( wp_remote_request( Settings::address() . '/api' . $path, $request ) );
	}
}

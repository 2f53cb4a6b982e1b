<?php
/**
 * The payment link of an order.
 *
 * @package Kutip\WooCommerce
 */

declare( strict_types=1 );

namespace Kutip\WooCommerce;

/** Finds or creates the link that a payer pays. */
final class Links {
	/**
	 * Where the payer of an order pays. An order has one link that can be paid: a second press returns to it.
	 *
	 * @return array{url?: string, notice?: string} An address, or what the payer reads.
	 */
	public static function address_for( \WC_Order $order, string $return_url ): array {
		try {
			$terms = self::terms( $order );
		} catch ( \InvalidArgumentException $error ) {
			$order->add_order_note( __( 'Kutip: the total has more decimals than its currency has. Set the number of decimals in WooCommerce.', 'kutip-for-woocommerce' ) );
			return array( 'notice' => __( 'This order cannot be paid this way. Please choose another way to pay.', 'kutip-for-woocommerce' ) );
		}
		$paid_before = self::paid_before( $order, $return_url );
		if ( null !== $paid_before ) {
			return $paid_before;
		}
		$lost    = self::recover( $order );
		$link_id = (string) $order->get_meta( Orders::LINK );
		if ( '' !== $lost ) {
			return '' === $link_id ? self::no_answer( $order, $lost ) : self::unseen( $order, $lost );
		}
		if ( '' !== $link_id ) {
			$known = Api::get( '/payment-links/' . rawurlencode( $link_id ) );
			if ( 'unknown' === $known->kind || ( 'refused' === $known->kind && 404 !== $known->status ) ) {
				return self::unseen( $order, self::why( $known, $order ) );
			}
			$found = 'ok' === $known->kind ? self::reuse( $order, $known->data, $return_url ) : null;
			if ( null !== $found ) {
				return $found;
			}
			self::forget( $order );
		}
		return self::create( $order, $terms, $return_url );
	}

	/**
	 * What a link must ask for to fit an order. The receipt goes to the address.
	 *
	 * @return array{email: string, currency: string, amount: int}
	 * @throws \InvalidArgumentException For a total that is no amount of its currency.
	 */
	public static function terms( \WC_Order $order ): array {
		return array(
			'email'    => (string) $order->get_billing_email(),
			'currency' => $order->get_currency(),
			'amount'   => Orders::total( $order ),
		);
	}

	/**
	 * Whether terms, or a link as Kutip has it, are what an order asks for now. Kutip keeps addresses as they were sent, and compares them without case.
	 *
	 * @param array<string, mixed> $terms The terms.
	 */
	public static function is_same( \WC_Order $order, array $terms ): bool {
		try {
			$now = self::terms( $order );
		} catch ( \InvalidArgumentException $error ) {
			return false;
		}
		return ( $terms['amount'] ?? null ) === $now['amount'] && ( $terms['currency'] ?? null ) === $now['currency']
			&& strtolower( trim( (string) ( $terms['email'] ?? '' ) ) ) === strtolower( trim( $now['email'] ) );
	}

	/**
	 * What the payer gets where a payment has paid the order before. Null where there is none, and where it was given back in full: the order then lets go of
	 * the link that it paid, and another payment pays the order.
	 *
	 * @return array{url?: string, notice?: string}|null
	 */
	private static function paid_before( \WC_Order $order, string $return_url ): ?array {
		$payment = (string) $order->get_meta( Orders::PAYMENT );
		if ( '' === $payment ) {
			return null;
		}
		$known   = Refunds::payment( $payment );
		$is_gone = 'refused' === $known->kind && 404 === $known->status;
		if ( 'ok' !== $known->kind && ! $is_gone ) {
			return self::unseen( $order, self::why( $known, $order ) );
		}
		// What test mode took is no money for a shop that has gone live.
		$is_returned = $is_gone
			? self::is_void( (string) ( Orders::kept( $order, Orders::REQUEST )['mode'] ?? '' ) )
			: ( $known->data['refunded_amount'] ?? null ) === ( $known->data['amount'] ?? 0 );
		if ( ! $is_returned ) {
			return $is_gone ? null : array( 'url' => $return_url );
		}
		$order->update_meta_data( Orders::RETURNED, $payment );
		if ( ! $is_gone ) {
			$order->update_meta_data( Orders::PAID_LINK, (string) ( $known->data['payment_link_id'] ?? '' ) );
		}
		$order->save();
		if ( '' !== (string) $order->get_meta( Orders::LINK ) && $order->get_meta( Orders::LINK ) === $order->get_meta( Orders::PAID_LINK ) ) {
			self::forget( $order );
		}
		return null;
	}

	/**
	 * What to do with the order's link; null when a new one is needed.
	 *
	 * @param array<string, mixed> $link The link as Kutip has it.
	 * @return array{url?: string, notice?: string}|null
	 */
	private static function reuse( \WC_Order $order, array $link, string $return_url ): ?array {
		$status = $link['status'] ?? '';
		if ( 'Paid' === $status ) {
			return array( 'url' => $return_url );
		}
		if ( 'Processing' === $status || ( 'Active' === $status && self::is_same( $order, $link ) ) ) {
			return array( 'url' => (string) $link['payment_url'] );
		}
		if ( 'Active' !== $status ) {
			return null;
		}
		// The order has changed since: the old link must not take the old amount, nor send its receipt to the old address.
		$cancelled = self::cancel( (string) $link['_id'] );
		if ( 'Cancelled' === ( $cancelled->data['status'] ?? '' ) ) {
			return null;
		}
		return 'unknown' === $cancelled->kind
			? self::unseen( $order, self::why( $cancelled, $order ) )
			: array( 'notice' => __( 'An earlier payment for this order is still being processed. Please try again in a few minutes.', 'kutip-for-woocommerce' ) );
	}

	/**
	 * @param array{email: string, currency: string, amount: int} $terms What the order asks for.
	 * @return array{url?: string, notice?: string}
	 */
	private static function create( \WC_Order $order, array $terms, string $return_url ): array {
		$body = $terms + array(
			'title'        => self::title( $order ),
			'redirect_url' => $return_url,
			'reference'    => (string) $order->get_id(),
			'send_email'   => false,
		);
		// The same order, terms and generation: the same link, however often it is sent.
		$key     = sprintf( 'wc-%d-%d-%s', $order->get_id(), (int) $order->get_meta( Orders::GENERATION ), hash( 'sha256', (string) wp_json_encode( $body ) ) );
		$request = array(
			'key'  => $key,
			'body' => $body,
			'at'   => time(),
			'mode' => Settings::mode(),
		);
		// Written before the call: a link with a lost answer can be paid, so it is looked for before another is made, and cancelled with the order.
		$order->update_meta_data( Orders::OWNER, (string) $order->get_id() );
		Orders::keep( $order, Orders::REQUEST, $request );
		$answer = Api::post( '/payment-links', $body, $key );
		if ( 'unknown' === $answer->kind ) {
			return self::no_answer( $order, self::why( $answer, $order ) );
		}
		if ( 'refused' === $answer->kind ) {
			self::forget( $order );
			return self::refused( $order, $answer );
		}
		$link = $answer->data;
		if ( ! self::is_same( $order, $link ) || ! is_string( $link['_id'] ?? null ) || 1 !== preg_match( '#^https?://#', (string) ( $link['payment_url'] ?? '' ) ) ) {
			$order->add_order_note( __( 'Kutip returned a payment link that does not fit this order. The payer was not sent there.', 'kutip-for-woocommerce' ) );
			return array( 'notice' => __( 'This order cannot be paid this way. Please choose another way to pay.', 'kutip-for-woocommerce' ) );
		}
		self::attach( $order, $link['_id'], $terms );
		return array( 'url' => (string) $link['payment_url'] );
	}

	/** Finds out what became of a link with a lost answer. Returns why that is not known, or why Kutip cannot be asked about the order's link; empty otherwise. */
	public static function recover( \WC_Order $order ): string {
		$request = Orders::kept( $order, Orders::REQUEST );
		$mode    = (string) ( $request['mode'] ?? '' );
		if ( self::is_void( $mode ) ) {
			self::forget( $order );
			return '';
		}
		if ( self::is_of_other_mode( $mode ) ) {
			return self::needs_key( $mode );
		}
		if ( ! self::may_be_found( $order ) ) {
			return '';
		}
		$has_key = time() - (int) $request['at'] <= Api::KEY_SECONDS;
		$answer  = $has_key ? Api::post( '/payment-links', $request['body'], $request['key'] ) : self::listed( $order->get_id() );
		if ( 'ok' !== $answer->kind && ! ( $has_key && 422 === $answer->status ) ) {
			return self::why( $answer, $order );
		}
		$id = $has_key ? (string) ( $answer->data['_id'] ?? '' ) : self::one_of( $answer, $request['body']['redirect_url'], Orders::texts( $order, Orders::LINKS ) );
		if ( '' === $id ) {
			self::forget( $order );
		} else {
			self::attach( $order, $id, $request['body'] );
		}
		return '';
	}

	/** Whether the answer that named an order's link was lost, and the shop's key reaches that link. */
	public static function may_be_found( \WC_Order $order ): bool {
		$request = Orders::kept( $order, Orders::REQUEST );
		return null !== $request && '' === (string) $order->get_meta( Orders::LINK ) && ! self::is_of_other_mode( (string) ( $request['mode'] ?? '' ) );
	}

	/** Whether a link takes no money, since it is of test mode and the shop has gone live. */
	public static function is_void( string $mode ): bool {
		return 'test' === $mode && 'live' === Settings::mode();
	}

	/** Whether the shop's key does not reach links of a mode. Links from before have none. */
	public static function is_of_other_mode( string $mode ): bool {
		return ! in_array( $mode, array( '', Settings::mode() ), true );
	}

	public static function needs_key( string $mode ): string {
		/* translators: %s: test or live */
		return sprintf( __( 'The link is of %s mode, and the API key of this shop is not.', 'kutip-for-woocommerce' ), $mode );
	}

	/** The links that name an order as their reference, newest first. Other shops of the same business may have an order of this number. */
	public static function listed( int $order_id ): Answer {
		return Api::get( '/payment-links?per_page=100&reference=' . $order_id );
	}

	/**
	 * The link of a list that may take money for the order that its payer comes back to; empty without one.
	 *
	 * @param string[] $others Links of the order that are known.
	 */
	public static function one_of( Answer $list, string $return_url, array $others ): string {
		foreach ( is_array( $list->data['data'] ?? null ) ? $list->data['data'] : array() as $link ) {
			if ( is_array( $link ) && self::leads_back( (string) ( $link['redirect_url'] ?? '' ), $return_url ) && in_array( $link['status'] ?? '', array( 'Active', 'Processing', 'Paid' ), true ) && ! in_array( $link['_id'], $others, true ) ) {
				return (string) $link['_id'];
			}
		}
		return '';
	}

	/** Whether two addresses are that of one order, by its key. Kutip writes an address in its normal form. */
	private static function leads_back( string $address, string $return_url ): bool {
		$keys = array();
		foreach ( array( $address, $return_url ) as $one ) {
			parse_str( (string) wp_parse_url( $one, PHP_URL_QUERY ), $query );
			$keys[] = is_string( $query['key'] ?? null ) && '' !== $query['key'] ? $query['key'] : $one;
		}
		return $keys[0] === $keys[1];
	}

	/**
	 * Makes a link the one of the order.
	 *
	 * @param array<string, mixed> $terms What the link asks for.
	 */
	private static function attach( \WC_Order $order, string $id, array $terms ): void {
		$order->update_meta_data( Orders::LINK, $id );
		$order->update_meta_data( Orders::LINKS, array_values( array_unique( array_merge( Orders::texts( $order, Orders::LINKS ), array( $id ) ) ) ) );
		$order->save();
		/* translators: 1: amount, 2: id of the payment link, 3: test or live */
		$order->add_order_note( sprintf( __( 'Kutip: payment link over %1$s (%2$s, %3$s mode).', 'kutip-for-woocommerce' ), Amount::shown( (int) $terms['amount'], (string) $terms['currency'] ), $id, Settings::mode() ) );
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
	private static function unseen( \WC_Order $order, string $why ): array {
		/* translators: %s: why */
		$order->add_order_note( sprintf( __( 'Kutip did not say what became of the payment link: %s The payer was asked not to pay again.', 'kutip-for-woocommerce' ), $why ) );
		return array( 'notice' => __( 'We cannot see right now whether your payment went through. Please do not pay again; try again in a few minutes or ask the shop.', 'kutip-for-woocommerce' ) );
	}

	/** @return array{notice: string} */
	private static function no_answer( \WC_Order $order, string $why ): array {
		/* translators: %s: what went wrong */
		$order->add_order_note( sprintf( __( 'Kutip did not answer when the payer wanted to pay: %s The order waits; the payer can try again.', 'kutip-for-woocommerce' ), $why ) );
		return array( 'notice' => __( 'The payment service does not answer right now. Your order is saved. Nothing was charged; please try again in a moment.', 'kutip-for-woocommerce' ) );
	}

	/** @return array{notice: string} */
	private static function refused( \WC_Order $order, Answer $answer ): array {
		/* translators: %s: why */
		$order->add_order_note( sprintf( __( 'Kutip made no payment link: %s', 'kutip-for-woocommerce' ), self::why( $answer, $order ) ) );
		return array( 'notice' => __( 'This order cannot be paid this way. Nothing was charged; please choose another way to pay or ask the shop.', 'kutip-for-woocommerce' ) );
	}

	/** What went wrong, as a sentence for staff. */
	public static function why( Answer $answer, ?\WC_Order $order ): string {
		return rtrim( $answer->words( null === $order ? '' : $order->get_currency() ), '. ' ) . '.';
	}

	/** Cancels a link. `ok` has the link as it is now: cancelled, or in a status in which Kutip does not cancel it. */
	public static function cancel( string $link_id ): Answer {
		$path   = '/payment-links/' . rawurlencode( $link_id );
		$answer = Api::post( "$path/cancel", array(), 'wc-cancel-' . wp_generate_uuid4() );
		if ( 409 !== $answer->status || 'refused' !== $answer->kind ) {
			return $answer;
		}
		$link = Api::get( $path );
		return 'ok' === $link->kind ? $link : $answer;
	}

	/** The order's link has ended: the next one is of another generation, so that Kutip does not return this one again. */
	public static function forget( \WC_Order $order ): void {
		$order->update_meta_data( Orders::GENERATION, (string) ( (int) $order->get_meta( Orders::GENERATION ) + 1 ) );
		$order->delete_meta_data( Orders::LINK );
		$order->delete_meta_data( Orders::REQUEST );
		$order->save();
	}
}

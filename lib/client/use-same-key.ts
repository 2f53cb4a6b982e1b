"use client";

import { useCallback, useRef } from "react";
import { newIdempotencyKey } from "./idempotency";

/** Gives the Idempotency-Key to send a body under: the same for the same fields, so that trying again after a lost answer makes no second object. */
export function useSameKey(): (body: unknown) => string {
  const sent = useRef({ body: "", key: "" });
  return useCallback((body) => {
    const text = JSON.stringify(body);
    if (sent.current.body !== text) sent.current = { body: text, key: newIdempotencyKey() };
    return sent.current.key;
  }, []);
}

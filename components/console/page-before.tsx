"use client";

import { use } from "react";

const never = new Promise<never>(() => undefined);

/** In the place of a fallback: React then keeps showing the page before until the next one's scripts are there. */
export function PageBefore(): never {
  return use(never);
}

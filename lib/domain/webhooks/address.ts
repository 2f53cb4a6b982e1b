import { env } from "@/lib/env";
import { assertNone, type FieldErrors } from "@/lib/kernel/problem";
import { objection } from "@/lib/kernel/public-address";

/** What speaks against an endpoint's address, where one is named. */
export function validateAgainstRecords({ url }: { url?: string }): FieldErrors {
  const text = url === undefined ? null : objection(new URL(url), env.WEBHOOK_ALLOW_PRIVATE);
  return text === null ? {} : { url: [text] };
}

/** Throws 422 on `url` for an address webhooks do not go to. */
export const assertAddress = (input: { url?: string }): void =>
  assertNone(validateAgainstRecords(input));

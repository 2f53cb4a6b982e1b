import { assertNone, type FieldErrors } from "@/lib/kernel/problem";
import type { PaymentLinkCreate } from "@/lib/contract/payment-links";
import type { Ctx } from "../context";
import { validateExpiry } from "../expiry";
import { findClock } from "../test-clocks/rows";
import { linkMoment } from "./rows";
import { validateDue } from "./rules";
import { validateAmount } from "../gateway-connections/amounts";

type Checked = Pick<
  Partial<PaymentLinkCreate>,
  "amount" | "currency" | "expires_at" | "due_at" | "reminders" | "test_clock_id"
>;

/** The field errors of a link that names a test clock which does not exist. */
export const unknownClock: FieldErrors = {
  test_clock_id: ["The selected test clock id is invalid."],
};

/** The field errors of a link that only its gateway and the clock can tell: the test clock that a new link names, or that of the link with `id`. */
export async function validateLink(ctx: Ctx, input: Checked, id?: string): Promise<FieldErrors> {
  const { test_clock_id: clockId } = input;
  const clock = clockId === undefined ? undefined : await findClock(ctx, clockId);
  const nowMs =
    clock === undefined
      ? id !== undefined && input.expires_at !== undefined
        ? await linkMoment(ctx, id)
        : undefined
      : Date.parse(clock.time);
  return {
    ...(await validateAmount(ctx, input)),
    ...(await validateExpiry(input, nowMs)),
    ...validateDue(input),
    ...(clockId === undefined || clock ? {} : unknownClock),
  };
}

/** Throws 422 with these errors. */
export const assertLink = async (ctx: Ctx, input: Checked, id?: string): Promise<void> =>
  assertNone(await validateLink(ctx, input, id));

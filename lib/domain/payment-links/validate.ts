import { assertNone, type FieldErrors } from "@/lib/kernel/problem";
import type { PaymentLinkInput } from "@/lib/contract/payment-links";
import type { Ctx } from "../context";
import { validateExpiry } from "../expiry";
import { validateDue } from "./rules";
import { validateAmount } from "../gateway-connections/amounts";

type Checked = Pick<
  Partial<PaymentLinkInput>,
  "amount" | "currency" | "expires_at" | "due_at" | "reminders"
>;

/** The field errors of a link that only its gateway and the database's clock can tell. */
export const validateLink = async (ctx: Ctx, input: Checked): Promise<FieldErrors> => ({
  ...(await validateAmount(ctx, input)),
  ...(await validateExpiry(input)),
  ...validateDue(input),
});

/** Throws 422 with these errors. */
export const assertLink = async (ctx: Ctx, input: Checked): Promise<void> =>
  assertNone(await validateLink(ctx, input));

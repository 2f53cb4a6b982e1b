import type { Page } from "@/lib/contract/envelope";
import { check } from "@/lib/contract/messages";
import {
  type PaymentLink,
  PaymentLinkInput,
  PaymentLinkQuery,
  PaymentLinkUpdate,
} from "@/lib/contract/payment-links";
import { limits } from "@/lib/contract/values";
import type { Ctx } from "@/lib/domain/context";
import { validateAmount } from "@/lib/domain/gateway-connections/amounts";
import { listOf } from "@/lib/domain/payment-links/of-integration";
import { validateLink } from "@/lib/domain/payment-links/validate";
import { currencyDigits } from "@/lib/kernel/currencies";
import { minorOf } from "@/lib/kernel/major-units";
import { decimalAmount } from "@/lib/kernel/money";
import { assertNone, type FieldErrors } from "@/lib/kernel/problem";
import { valid } from "./define-route";

/** A link as plugins read it: `amount` in major units. */
type PluginLink = Omit<PaymentLink, "amount"> & { amount: number };

/** A link with its amount in major units. The decimal text of an allowed amount is exact as a double. */
export const presentPluginLink = (link: PaymentLink): PluginLink => ({
  ...link,
  amount: Number(decimalAmount(link.amount, link.currency)),
});

const NewFields = PaymentLinkInput.omit({ amount: true });
const ChangedFields = PaymentLinkUpdate.omit({ amount: true });
/** The filters of amounts are in minor units, so that they are left out here. */
const PluginLinkQuery = PaymentLinkQuery.omit({
  amount_min: true,
  amount_max: true,
  integration_id: true,
});

/** A page of the links of an integration, in major units. Throws 422. */
export async function listPluginLinks(
  ctx: Ctx,
  integrationId: string,
  search: URLSearchParams,
): Promise<Page<PluginLink>> {
  const query = valid(PluginLinkQuery, Object.fromEntries(search));
  const page = await listOf(ctx, integrationId, query, search);
  return { ...page, data: page.data.map(presentPluginLink) };
}

/** Cut after so many code points and put on one line: plugins show no page at all when a title is refused. */
const cut = (value: unknown, max: number, oneLine: boolean): unknown =>
  typeof value === "string"
    ? [...(oneLine ? value.replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]+/gu, " ") : value).trim()]
        .slice(0, max)
        .join("")
    : value;

/** The body of a create, or of a PUT of the link with `id`, as `/api` takes it. Throws 422 with all violations, amounts in major units. */
export async function linkInput(
  ctx: Ctx,
  body: Record<string, unknown>,
  id?: string,
): Promise<PaymentLinkUpdate> {
  const fields = check(id === undefined ? NewFields : ChangedFields, {
    ...body,
    title: cut(body.title, limits.title, true),
    phone_no: cut(body.phone_no, limits.phoneNo, true),
    description: cut(body.description, limits.description, false),
  });
  const money = amountOf(body.amount, body.currency);
  const errors: FieldErrors = {
    ...(fields.ok ? await validateLink(ctx, fields.data, id) : fields.errors),
    ...("error" in money
      ? { amount: [money.error] }
      : await validateAmount(ctx, money, { write: decimalAmount })),
  };
  assertNone(errors);
  if (!fields.ok || !("amount" in money)) throw new Error("an invalid link without an error");
  const { redirect_url: normal, ...rest } = fields.data;
  return {
    ...rest,
    amount: money.amount,
    ...(normal === undefined ? {} : { redirect_url: asSent(body.redirect_url, normal) }),
  };
}

/** Byte for byte: the plugin for Gravity Forms signs its return address. A header of HTTP takes ASCII alone. */
const asSent = (sent: unknown, normal: string): string => {
  const text = typeof sent === "string" ? sent.trim() : normal;
  return /^[\x21-\x7e]+$/.test(text) ? text : normal;
};

/** The amount in minor units. Without a known currency it is absent, and has no error of its own. */
function amountOf(
  sent: unknown,
  currency: unknown,
): { amount: number; currency: string } | { error: string } | Record<string, never> {
  if (sent === undefined || sent === null || sent === "")
    return { error: "The amount field is required." };
  const known = typeof currency === "string" && currencyDigits(currency.trim()) !== undefined;
  const code = known ? currency.trim() : "MYR";
  const amount = typeof sent === "string" ? minorOf(sent, code) : undefined;
  if (amount === undefined) return { error: "The amount must be a number." };
  if (!known) return {};
  if (amount < limits.amountMin)
    return { error: `The amount must be at least ${decimalAmount(limits.amountMin, code)}.` };
  if (amount > limits.amountMax)
    return {
      error: `The amount must not be greater than ${decimalAmount(limits.amountMax, code)}.`,
    };
  return { amount, currency: code };
}

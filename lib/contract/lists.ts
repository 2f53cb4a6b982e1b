import * as z from "zod";
import { currencyDigits } from "@/lib/kernel/currencies";
import { AnyDay, AnyMoment, documented, Flag, Id } from "./fields";
import { mustBeDate, rule } from "./messages";
import { limits, paymentAttention } from "./values";

/** A whole number in a query string. */
const whole = (min: number, max: number) =>
  rule(z.string(), "integer", (value) => /^\d{1,9}$/.test(value))
    .transform(Number)
    .pipe(z.int().min(min).max(max))
    .meta(documented({ type: "integer", minimum: min, maximum: max }));

/** A text that rows are compared with. Postgres has no NUL in a text. */
export const filterText = (max: number) =>
  rule(z.string().max(max), "characters", (value) => !value.includes("\0"));

/** A bound in a filter: a moment with a zone, or a day, which means all of it. */
const bound = (end: boolean) =>
  z
    .union(
      [
        AnyDay.transform((day) => `${day}T${end ? "23:59:59.999999" : "00:00:00.000000"}Z`),
        AnyMoment,
      ],
      { error: mustBeDate },
    )
    .meta({
      ...documented({ type: "string" }),
      description: "A moment with a zone, or a day (UTC); inclusive.",
      examples: ["2026-11-20"],
    });

const SHORT_SEARCH = "One or two letters or digits find only beginnings of words.";

/** Every filter any list knows, each rule once; a list picks those its noun has. */
export const filters = {
  email: filterText(limits.email).meta({ description: "Exactly this address, without case." }),
  reference: filterText(limits.reference).meta({ description: "Exactly this reference." }),
  reference_2: filterText(limits.reference).meta({ description: "Exactly this second reference." }),
  currency: rule(z.string(), "selected", (code) => currencyDigits(code) !== undefined).meta({
    description: "Three-letter ISO 4217 code.",
    examples: ["MYR"],
  }),
  amount_min: whole(0, 999_999_999).meta({ description: "At least this amount, in minor units." }),
  amount_max: whole(0, 999_999_999).meta({ description: "At most this amount, in minor units." }),
  created_from: bound(false),
  created_to: bound(true),
  payment_link_id: Id.describe("Of this payment link."),
  subscription_id: Id.describe("Of this subscription."),
  tokenization_id: Id.describe("Of this tokenization."),
  package_id: Id.describe("Of this package."),
  import_id: Id.describe("Created by this import."),
  integration_id: Id.describe("Created by this shop plugin."),
  test_clock_id: Id.describe("Follows this test clock."),
  ids: z
    .string()
    .regex(/^[0-9a-f]{24}(,[0-9a-f]{24}){0,99}$/)
    .transform((text): readonly string[] => text.split(","))
    .meta({
      description: "These records alone: at most 100 ids, separated by commas.",
      ...documented({ type: "string", pattern: "^[0-9a-f]{24}(,[0-9a-f]{24}){0,99}$" }),
    }),
  paid: Flag,
  open: Flag.meta({ description: "Waits to be paid: `Active` or `Processing`." }),
  mailed: Flag.meta({
    description:
      "A mail server accepted a mail that asks for its payment: its first mail, a reminder, or a mail of its subscription.",
  }),
  opened: Flag.meta({
    description: "Its page was opened, by its payer or anyone else but staff.",
  }),
  tried: Flag.meta({
    description:
      "A payment was started or recorded for it, whatever became of the payment. Every paid link was tried.",
  }),
  has_expiry: Flag.meta({ description: "Has an `expires_at`; false: it never expires." }),
  overdue: Flag.meta({
    description: "`due_at` has passed and it waits to be paid: `Active` or `Processing`.",
  }),
  collected: Flag.meta({
    description:
      "Money that came in and that no dispute holds: `succeeded`, `partially_refunded` or `refunded`.",
  }),
  succeeded_from: bound(false),
  succeeded_to: bound(true),
  attention: z.enum(paymentAttention).meta({ description: "Needs a person, for this reason." }),
  q: filterText(200).meta({
    description: `Part of the title, e-mail address or a reference, or an id. ${SHORT_SEARCH}`,
  }),
} as const;

/** The search of a list that reads other texts. */
export const searchOf = (what: string) =>
  filters.q.optional().meta({ description: `${what} ${SHORT_SEARCH}` });

export type FilterName = keyof typeof filters;
type OptionalShape<K extends FilterName> = { [Name in K]: z.ZodOptional<(typeof filters)[Name]> };

/** What lists are sorted by besides the moment of creation. Texts are sorted without case. */
export const furtherOrders = ["succeeded_at", "amount", "email", "name"] as const;
type Order = (typeof furtherOrders)[number];

const BY_SUCCESS =
  " By `succeeded_at`, when the money came in, only payments that brought money are listed.";

/**
 * The query of a list: both paginators, sort, and the named filters plus `status` where given.
 * `page` chooses the length-aware paginator, else `cursor` walks on.
 */
export function listQuery<K extends FilterName, S extends readonly [string, ...string[]]>(
  names: readonly K[],
  statuses: S,
  orders: readonly Order[] = [],
) {
  const picked = Object.fromEntries(
    names.map((name) => [name, filters[name].optional()]),
  ) as OptionalShape<K>;
  return z.object({
    per_page: whole(1, 100).optional().meta({ description: "Records per page. Default: 15." }),
    // As far as the last page of any list: its address must be one that can be asked for.
    page: whole(1, 999_999_999)
      .optional()
      .meta({ description: "The number of a page: chooses the length-aware paginator." }),
    cursor: z
      .string()
      .max(1_000)
      .optional()
      .meta({ description: "From `next_cursor` or `prev_cursor`." }),
    sort: z
      .enum(["created_at" as const, ...orders].flatMap((order) => [order, `-${order}` as const]))
      .optional()
      .meta({
        description: `Default \`-created_at\`: newest first.${orders.includes("succeeded_at") ? BY_SUCCESS : ""}`,
      }),
    status: z.enum(statuses).optional().meta({ description: "In this state." }),
    ...picked,
  });
}

type Walking = "page" | "per_page" | "cursor" | "sort";

/** The names of a list's filters. */
export type FilterOf<Query> = Exclude<keyof Query, Walking> & string;

/** What every list query has, whatever its filters. */
export type ListQuery = {
  per_page?: number;
  page?: number;
  cursor?: string;
  sort?: string;
  status?: string;
} & { [K in FilterName]?: z.output<(typeof filters)[K]> };

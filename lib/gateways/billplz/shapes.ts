import * as z from "zod";

// What Kutip reads of Billplz's answers. Fields that it does not read are left out; an answer without the ones here is not understood.

export const Id = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/);
const minorUnits = z.int().min(0).max(Number.MAX_SAFE_INTEGER);

export const Bill = z.object({
  id: Id,
  collection_id: Id,
  paid: z.boolean(),
  state: z.enum(["due", "paid", "deleted"]),
  amount: minorUnits,
  paid_amount: minorUnits,
  url: z.url({ protocol: /^https?$/ }),
  reference_2: z.string().nullish(),
});
export type Bill = z.output<typeof Bill>;

export const Transactions = z.object({
  bill_id: Id,
  transactions: z.array(
    z.object({
      id: z.string(),
      status: z.enum(["pending", "completed", "failed"]),
      payment_channel: z.string().nullish(),
    }),
  ),
});

export const Collection = z.object({ id: Id, title: z.string(), status: z.string().nullish() });

export const PaymentMethods = z.object({
  payment_methods: z.array(z.object({ code: z.string(), active: z.boolean() })),
});

export const Banks = z.object({
  banks: z.array(z.object({ name: z.string(), active: z.boolean() })),
});

/** The answer to a deletion. */
export const Nothing = z.object({});

/** The body of a refusal. */
export const Failure = z.object({
  error: z.object({
    type: z.string().nullish(),
    message: z.union([z.string(), z.array(z.string())]).nullish(),
  }),
});

/** The fields of a callback that Kutip reads. */
export const CallbackFields = z.object({
  id: Id,
  collection_id: Id,
  state: z.enum(["due", "paid", "deleted"]),
  paid: z.enum(["true", "false"]),
  paid_amount: z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number)
    .optional(),
});

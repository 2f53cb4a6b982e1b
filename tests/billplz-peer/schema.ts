import * as z from "zod";

// Names and types of the parts of Billplz's interface that Kutip uses, from Billplz/api_slate at commit d724145 (December 2025).

const Flag = z.enum(["true", "false"]);
const text = (length: number) =>
  z.string().refine((value) => [...value].length <= length, `more than ${length} characters`);
const Address = z.url({ protocol: /^https?$/ });

const BillForm = z
  .strictObject({
    collection_id: z.string().min(1),
    email: z.email().optional(),
    mobile: z
      .string()
      .regex(/^\+?\d{8,15}$/)
      .optional(),
    name: text(255).min(1),
    amount: z.string().regex(/^[1-9]\d{0,8}$/),
    callback_url: Address,
    description: text(200).min(1),
    due_at: z.iso.date().optional(),
    redirect_url: Address.optional(),
    deliver: Flag.optional(),
    reference_1_label: text(20).optional(),
    reference_1: text(120).optional(),
    reference_2_label: text(20).optional(),
    reference_2: text(120).optional(),
  })
  .refine(({ email, mobile }) => email || mobile, "neither e-mail nor mobile");

const Bill = z.strictObject({
  id: z.string(),
  collection_id: z.string(),
  paid: z.boolean(),
  state: z.enum(["due", "paid", "deleted"]),
  amount: z.int().positive(),
  paid_amount: z.int().min(0),
  due_at: z.string(),
  email: z.string().nullable(),
  mobile: z.string().nullable(),
  name: z.string(),
  url: z.string(),
  reference_1_label: z.string(),
  reference_1: z.string().nullable(),
  reference_2_label: z.string(),
  reference_2: z.string().nullable(),
  redirect_url: z.string().nullable(),
  callback_url: z.string(),
  description: z.string(),
  paid_at: z.string().nullable(),
});

const Nothing = z.strictObject({});

type Operation = { query?: z.ZodType; form?: z.ZodType; answer: z.ZodType };

const operations: Record<string, Operation> = {
  "POST /v3/bills": { form: BillForm, answer: Bill },
  "GET /v3/bills/{id}": { answer: Bill },
  "DELETE /v3/bills/{id}": { answer: Nothing },
  "GET /v3/bills/{id}/transactions": {
    query: z.strictObject({
      page: z.string().regex(/^\d+$/).optional(),
      status: z.enum(["pending", "completed", "failed"]).optional(),
    }),
    answer: z.strictObject({
      bill_id: z.string(),
      transactions: z.array(
        z.strictObject({
          id: z.string(),
          status: z.enum(["pending", "completed", "failed"]),
          completed_at: z.string().nullable(),
          payment_channel: z.string(),
        }),
      ),
      page: z.int(),
    }),
  },
  "GET /v3/collections/{id}": {
    answer: z.strictObject({
      id: z.string(),
      title: z.string(),
      logo: z.object({ thumb_url: z.null(), avatar_url: z.null() }),
      split_payment: z.object({ split_header: z.boolean() }),
      status: z.enum(["active", "inactive"]),
    }),
  },
  "GET /v3/collections/{id}/payment_methods": {
    answer: z.strictObject({
      payment_methods: z.array(
        z.strictObject({ code: z.string(), name: z.string(), active: z.boolean() }),
      ),
    }),
  },
  "GET /v3/fpx_banks": {
    answer: z.strictObject({
      banks: z.array(z.strictObject({ name: z.string(), active: z.boolean() })),
    }),
  },
};

const problemOf = (schema: z.ZodType, value: unknown): string | null => {
  const read = schema.safeParse(value);
  return read.success ? null : z.prettifyError(read.error);
};

/** What is wrong with a request by the document; null when it fits. A field that the document does not name is wrong too. */
export function wrongRequest(
  operation: string,
  query: Record<string, string>,
  form: Record<string, string>,
): string | null {
  const known = operations[operation];
  if (!known) return `There is no ${operation}.`;
  return problemOf(known.query ?? Nothing, query) ?? problemOf(known.form ?? Nothing, form);
}

/** What is wrong with an answer of the peer by the document; null when it fits. */
export const wrongAnswer = (operation: string, answer: unknown): string | null =>
  problemOf(operations[operation]?.answer ?? z.never(), answer);

import type { Customer, CustomerInput, CustomerUpdate } from "@/lib/contract/customers";
import { db } from "@/db/client";
import { newId } from "@/lib/kernel/ids";
import { type FieldErrors, invalid } from "@/lib/kernel/problem";
import type { Ctx } from "../context";
import { emit } from "../events/emit";
import { commit } from "../idempotency/commit";
import { presentCustomer, presentForEvent } from "./present";
import { customerOf, type CustomerValues, insertCustomer } from "./rows";

const taken: FieldErrors = { email: ["There is already a customer with this e-mail address."] };

/** What speaks against the address of a new customer. */
export const validateAgainstRecords = async (
  ctx: Ctx,
  { email }: Partial<CustomerInput>,
): Promise<FieldErrors> => (email !== undefined && (await customerOf(ctx, db, email)) ? taken : {});

/** The columns that a PUT replaces; absent fields become null. */
export function valuesOf(input: Omit<CustomerUpdate, "version">): Omit<CustomerValues, "email"> {
  const {
    name,
    phone_no,
    language,
    notes,
    // A field of the contract that is missing here does not compile.
    ...unwritten
  } = input;
  return {
    name: name ?? null,
    phoneNo: phone_no ?? null,
    language: language ?? null,
    notes: notes ?? null,
    ...(unwritten satisfies Record<string, never>),
  };
}

/** Makes a customer by hand. Throws 422 on `email` for an address that has one. */
export async function create(ctx: Ctx, { email, ...input }: CustomerInput): Promise<Customer> {
  return commit(ctx, async (tx) => {
    const row = await insertCustomer(ctx, tx, newId(), { email, ...valuesOf(input) });
    if (!row) throw invalid(taken);
    const data = presentForEvent(row);
    await emit(ctx, tx, { type: "customer.created", objectId: row.id, data });
    return presentCustomer(ctx, row);
  });
}

import type { Customer } from "@/lib/contract/customers";
import { notFound } from "@/lib/kernel/problem";
import type { Ctx } from "../context";
import { presentCustomer } from "./present";
import { findCustomer } from "./rows";

/** One customer. Throws 404. */
export async function get(ctx: Ctx, id: string): Promise<Customer> {
  const row = await findCustomer(ctx, id);
  if (!row) throw notFound();
  return presentCustomer(ctx, row);
}

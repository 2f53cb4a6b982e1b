import type { Customer, CustomerQuery } from "@/lib/contract/customers";
import type { Page } from "@/lib/contract/envelope";
import type { Ctx } from "../context";
import { list as listCustomers } from "../customers/list";
import { normalAddress } from "../payers/rules";
import { addressesOf } from "../payment-links/list-rows";
import { addressesPaying } from "./payer-rows";

/** A page of customers; those of some payments or payment links by the addresses of these. */
export async function list(
  ctx: Ctx,
  { payment_ids: payments, payment_link_ids: links, ...query }: CustomerQuery,
  search: URLSearchParams,
): Promise<Page<Customer>> {
  const [paying, linked] = await Promise.all([
    payments && addressesPaying(ctx, payments),
    links && addressesOf(ctx, links),
  ]);
  const addresses =
    paying && linked
      ? paying.filter((one) => linked.some((other) => normalAddress(other) === normalAddress(one)))
      : (paying ?? linked);
  return listCustomers(ctx, { ...query, ...(addresses ? { addresses } : {}) }, search);
}

import { createCustomer, listCustomers } from "@/lib/contract/customers";
import { create, validateAgainstRecords } from "@/lib/domain/customers/create";
import { list } from "@/lib/domain/payments/customers";
import { defineRoute } from "@/lib/http/define-route";

export const GET = defineRoute(listCustomers, ({ ctx, query, search }) => list(ctx, query, search));
export const POST = defineRoute(
  createCustomer,
  ({ ctx, body }) => create(ctx, body),
  ({ ctx, body }) => validateAgainstRecords(ctx, body),
);

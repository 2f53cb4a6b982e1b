import { getCustomer, updateCustomer } from "@/lib/contract/customers";
import { get } from "@/lib/domain/customers/get";
import { update } from "@/lib/domain/customers/update";
import { defineRoute } from "@/lib/http/define-route";

export const GET = defineRoute(getCustomer, ({ ctx, params }) => get(ctx, params.customer_id));
export const PUT = defineRoute(updateCustomer, ({ ctx, params, body }) =>
  update(ctx, params.customer_id, body),
);

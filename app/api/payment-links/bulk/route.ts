import { bulkCreatePaymentLinks } from "@/lib/contract/bulk";
import { bulk } from "@/lib/domain/payment-links/bulk";
import { defineRoute } from "@/lib/http/define-route";

export const POST = defineRoute(bulkCreatePaymentLinks, ({ ctx, query, body }) =>
  bulk(ctx, body.rows, query.dry_run ?? body.dry_run ?? false),
);

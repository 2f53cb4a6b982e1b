import { bulkCreatePaymentLinks } from "@/lib/contract/bulk";
import { bulk } from "@/lib/domain/payment-links/bulk";
import { defineRoute } from "@/lib/http/define-route";
import { readBulk } from "@/lib/http/read-bulk";

export const POST = defineRoute(
  bulkCreatePaymentLinks,
  ({ ctx, query, body }) =>
    bulk(ctx, body.rows, {
      dryRun: query.dry_run ?? body.dry_run ?? false,
      onConflict: {
        otherwise: query.on_conflict ?? body.on_conflict ?? "skip",
        create: new Set(body.create_conflicts),
        compareDetails: query.compare_details ?? body.compare_details ?? false,
      },
      importId: query.import_id ?? body.import_id,
      fileName: query.file_name ?? body.file_name,
      mailsWait: query.mails_wait ?? body.mails_wait ?? false,
    }),
  undefined,
  readBulk,
);

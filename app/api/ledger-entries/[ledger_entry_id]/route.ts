import { getLedgerEntry } from "@/lib/contract/ledger";
import { get } from "@/lib/domain/ledger/get";
import { defineRoute } from "@/lib/http/define-route";

export const GET = defineRoute(getLedgerEntry, ({ ctx, params }) =>
  get(ctx, params.ledger_entry_id),
);

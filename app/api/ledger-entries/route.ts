import { listLedgerEntries } from "@/lib/contract/ledger";
import { list } from "@/lib/domain/ledger/list";
import { defineRoute } from "@/lib/http/define-route";

export const GET = defineRoute(listLedgerEntries, ({ ctx, query, search }) =>
  list(ctx, query, search),
);

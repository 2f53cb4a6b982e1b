import { getBalance } from "@/lib/contract/ledger";
import { balance } from "@/lib/domain/ledger/balance";
import { defineRoute } from "@/lib/http/define-route";

export const GET = defineRoute(getBalance, ({ ctx, query }) => balance(ctx, query));

import { listAuditLog } from "@/lib/contract/business";
import { list } from "@/lib/domain/audit/list";
import { defineRoute } from "@/lib/http/define-route";

export const GET = defineRoute(listAuditLog, ({ ctx, query, search }) => list(ctx, query, search));

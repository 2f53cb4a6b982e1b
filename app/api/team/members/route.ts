import { listMembers } from "@/lib/contract/team";
import { listMembers as list } from "@/lib/domain/team/members";
import { defineRoute } from "@/lib/http/define-route";

export const GET = defineRoute(listMembers, ({ ctx, query, search }) => list(ctx, query, search));

import { listMails } from "@/lib/contract/mails";
import { list } from "@/lib/domain/mails/list";
import { defineRoute } from "@/lib/http/define-route";

export const GET = defineRoute(listMails, ({ ctx, query, search }) => list(ctx, query, search));

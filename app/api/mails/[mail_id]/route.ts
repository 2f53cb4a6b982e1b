import { getMail } from "@/lib/contract/mails";
import { get } from "@/lib/domain/mails/list";
import { defineRoute } from "@/lib/http/define-route";

export const GET = defineRoute(getMail, ({ ctx, params }) => get(ctx, params.mail_id));

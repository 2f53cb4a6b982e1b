import { resendMail } from "@/lib/contract/mails";
import { resend } from "@/lib/domain/mails/resend";
import { defineRoute } from "@/lib/http/define-route";

export const POST = defineRoute(resendMail, ({ ctx, params }) => resend(ctx, params.mail_id));

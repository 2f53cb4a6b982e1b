import { sendTestMail } from "@/lib/contract/overview";
import { testMail } from "@/lib/domain/overview/test-mail";
import { defineRoute } from "@/lib/http/define-route";

export const POST = defineRoute(sendTestMail, ({ ctx }) => testMail(ctx));

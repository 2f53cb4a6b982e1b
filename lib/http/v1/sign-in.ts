import * as z from "zod";
import { Email } from "@/lib/contract/fields";
import { issueToken } from "@/lib/domain/integrations/sign-in";
import { digest } from "@/lib/kernel/secrets";
import { successBody } from "../respond";
import { provePassword, wrongPassword } from "./authenticate";
import { pluginDoor, readPluginBody, valid } from "./define-route";

const SignIn = z.object({ email: Email, password: z.string().min(1).max(1_000) });

/** Exchanges the password of an integration for a token. The log of the business has it once the password is right. */
export const signInPlugin = pluginDoor(
  { id: "signInPlugin", subject: "email" },
  async ({ request, requestId, address, context, seen, answer }) => {
    const { value } = await readPluginBody(request, seen);
    const { password } = valid(SignIn, value);
    const caller = await provePassword(request, requestId, password, address);
    seen.caller = caller;
    context.caller = caller.ctx;
    const issued = await issueToken(caller.ctx, caller.integration.id, digest(password));
    if (!issued) throw wrongPassword();
    return answer(200, successBody(issued));
  },
);

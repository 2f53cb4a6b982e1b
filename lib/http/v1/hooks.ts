import * as z from "zod";
import { Flag, WebUrl } from "@/lib/contract/fields";
import { type Hook, validateHook } from "@/lib/domain/integrations/hooks";
import { env } from "@/lib/env";
import { assertNone } from "@/lib/kernel/problem";
import { valid } from "./define-route";

const NewHook = z.object({
  name: z.enum(["payment.created"]),
  url: WebUrl,
  enabled: Flag.optional(),
});
const HookChange = z.object({ url: WebUrl.optional(), enabled: Flag.optional() });

/** The address as it was sent: plugins compare what they read back. */
const asSent = (body: Record<string, unknown>) => (body.url as string).trim();

/** The body of a new hook. Throws 422, also for an address to which no callback may go. */
export function hookInput(body: Record<string, unknown>) {
  const { enabled = true, ...hook } = valid(NewHook, body);
  assertNone(validateHook(hook));
  return { url: asSent(body), enabled };
}

/** The body of a changed hook. Throws 422 in the same way. */
export function hookChange(body: Record<string, unknown>) {
  const { url, enabled } = valid(HookChange, body);
  assertNone(validateHook({ url }));
  return { url: url === undefined ? undefined : asSent(body), enabled };
}

/** The hooks of an integration as one page of the paginator that plugins read. */
export function hookPage(hooks: readonly Hook[], business: number, integration: number) {
  const path = `${env.BASE_URL}/api/v1/integrations/businesses/${business}/integrations/${integration}/webhook-events`;
  const first = `${path}?page=1`;
  return {
    current_page: 1,
    data: hooks,
    first_page_url: first,
    from: hooks.length > 0 ? 1 : null,
    last_page: 1,
    last_page_url: first,
    next_page_url: null,
    path,
    per_page: 15,
    prev_page_url: null,
    to: hooks.length > 0 ? hooks.length : null,
    total: hooks.length,
  };
}

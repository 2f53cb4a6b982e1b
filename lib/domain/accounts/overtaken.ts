import type { GenericEndpointContext } from "better-auth";
import { APIError } from "better-auth/api";
import { deleteSessionCookie, expireCookie } from "better-auth/cookies";
import {
  unscopedEndProofs,
  unscopedEndSession,
  unscopedHoldsPasskey,
  unscopedPasswordHash,
} from "../users/rows";

// The password that an account had when a call began that may open a session.
const passwordsAtStart = new WeakMap<object, { userId: string; hash: string | null }>();

export const noteBegun = (
  ctx: GenericEndpointContext,
  account: { userId: string; hash: string | null },
): void => void passwordsAtStart.set(ctx.context, account);

/**
 * Ends what a call opened with credentials that were changed while it ran: the change ended all sessions before this one was there.
 * Throws 401.
 */
export async function assertNotOvertaken(ctx: GenericEndpointContext): Promise<void> {
  const opened = ctx.context.newSession;
  const account = passwordsAtStart.get(ctx.context);
  if (account && (await unscopedPasswordHash(account.userId)) !== account.hash)
    return overtaken(ctx, account.userId);
  const passkey = ctx.path === "/passkey/verify-authentication" ? passkeyIn(ctx.body) : undefined;
  if (opened && passkey && !(await unscopedHoldsPasskey(opened.user.id, passkey)))
    return overtaken(ctx, opened.user.id);
}

function passkeyIn(body: unknown): string | undefined {
  const { response } = body as { response?: { id?: unknown } };
  return typeof response?.id === "string" ? response.id : undefined;
}

async function overtaken(ctx: GenericEndpointContext, userId: string): Promise<never> {
  const opened = ctx.context.newSession;
  if (opened) await unscopedEndSession(userId, opened.session.id);
  else await unscopedEndProofs(userId);
  deleteSessionCookie(ctx);
  expireCookie(ctx, ctx.context.createAuthCookie("two_factor"));
  ctx.context.setNewSession(null);
  throw new APIError("UNAUTHORIZED", {
    code: "credentials_changed",
    message: "How this account is opened was changed meanwhile. Sign in again.",
  });
}

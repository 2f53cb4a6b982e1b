import { APIError, createAuthMiddleware, getSessionFromCtx } from "better-auth/api";
import { expireCookie } from "better-auth/cookies";
import { type Allowance, peek, reset, take } from "@/lib/domain/limits/limits";
import { digest } from "@/lib/kernel/secrets";
import {
  unscopedEndProofs,
  unscopedFindCredential,
  unscopedFindUser,
  unscopedPasswordHash,
  unscopedUseCode,
} from "../users/rows";
import { auditAccount, auditAccountChange, auditFailedTry } from "./account-audit";
import { BROWSER_COOKIE, KNOWN_BROWSER_SECONDS, rememberBrowser } from "./known-browser";
import { assertNotGuessable } from "./new-password";
import { assertNotOvertaken, noteBegun } from "./overtaken";
import { answerProof, assertProven } from "./proof";
import { briefHeader, clientHeader, proofHeader } from "./headers";
import {
  countPassword,
  forgetPasswords,
  noteWrongPassword,
  type PasswordSession,
  returnPassword,
} from "./session-tries";
import { countTry, forgetTry, lockedBy, type SignInTry } from "./sign-in-tries";

type HookContext = Parameters<Parameters<typeof createAuthMiddleware>[0]>[0];

const CODE_PATHS = new Set(["/two-factor/verify-totp", "/two-factor/verify-backup-code"]);
const SIGN_IN_PATHS = new Set(["/sign-in/email", "/passkey/verify-authentication", ...CODE_PATHS]);

// Changes of how a person gets in, and their names in the audit log.
const CHANGES: Record<string, string> = {
  "/change-password": "password_changed",
  "/two-factor/enable": "two_factor_begun",
  "/two-factor/disable": "two_factor_removed",
  "/two-factor/generate-backup-codes": "recovery_codes_renewed",
  "/passkey/verify-registration": "passkey_added",
  "/passkey/delete-passkey": "passkey_removed",
};

// After these, what was handed out before to get in by opens nothing.
const ENDS_PROOFS = new Set(["/change-password", "/two-factor/enable", "/two-factor/disable"]);

const addressOf = (ctx: HookContext) => ctx.headers?.get(clientHeader) ?? null;
const browserCookie = (ctx: HookContext) =>
  ctx.context.createAuthCookie(BROWSER_COOKIE, { maxAge: KNOWN_BROWSER_SECONDS });

function textField(body: unknown, name: string): string | undefined {
  const value = (body as Record<string, unknown> | undefined)?.[name];
  return typeof value === "string" ? value : undefined;
}

function triedPassword(ctx: HookContext): SignInTry | undefined {
  const email = ctx.path === "/sign-in/email" ? textField(ctx.body, "email") : undefined;
  if (email === undefined) return undefined;
  const browser = ctx.getCookie(browserCookie(ctx).name);
  return { email, browserCookie: browser, clientAddress: addressOf(ctx) };
}

/** The session from which a person confirms a call with their password; undefined for all other calls. */
async function confirmedBy(ctx: HookContext): Promise<PasswordSession | undefined> {
  const given = textField(ctx.body, "password") ?? textField(ctx.body, "currentPassword");
  if (given === undefined || ctx.path === "/sign-in/email") return undefined;
  const session = await getSessionFromCtx(ctx);
  return session ? { userId: session.user.id, sessionId: session.session.id } : undefined;
}

const locked = ({ retryAfterSeconds }: Allowance, message: string) =>
  new APIError(
    "TOO_MANY_REQUESTS",
    { code: "account_locked", message },
    { "retry-after": String(retryAfterSeconds) },
  );

/** Counts every try before it is looked at; a one-time code opens once. */
export const beforeSignIn = createAuthMiddleware(async (ctx) => {
  await assertProven(ctx);
  await assertNotGuessable(ctx);
  const tried = triedPassword(ctx);
  if (tried) {
    const allowance = await countTry(tried);
    if (!allowance.allowed)
      throw locked(
        allowance,
        "Too many wrong passwords. Try again later, use a passkey, or reset the password.",
      );
    const credential = await unscopedFindCredential(tried.email);
    if (credential) noteBegun(ctx, { userId: credential.userId, hash: credential.passwordHash });
  }
  const confirmed = await confirmedBy(ctx);
  if (confirmed) {
    const allowance = await countPassword(confirmed);
    if (!allowance.allowed) throw locked(allowance, "Too many wrong passwords.");
    if (ctx.path === "/two-factor/disable") await begin(ctx, confirmed.userId);
  }
  if (!CODE_PATHS.has(ctx.path)) return;
  const userId = await challenged(ctx);
  if (!userId) return;
  await begin(ctx, userId);
  const allowance = await take("second_factor", userId);
  if (!allowance.allowed) throw locked(allowance, "Too many wrong codes. Try again later.");
  const code = textField(ctx.body, "code");
  if (
    ctx.path === "/two-factor/verify-totp" &&
    code !== undefined &&
    !(await unscopedUseCode(userId, digest(`totp:${userId}:${code}`)))
  ) {
    throw new APIError("UNAUTHORIZED", {
      code: "code_used",
      message: "This code was already used. Wait for the next one.",
    });
  }
});

const begin = async (ctx: HookContext, userId: string) =>
  noteBegun(ctx, { userId, hash: await unscopedPasswordHash(userId) });

/** Who is asked for a one-time code: the person signed in, or the one half way through signing in. */
async function challenged(ctx: HookContext): Promise<string | undefined> {
  const session = await getSessionFromCtx(ctx);
  if (session) return session.user.id;
  const cookie = ctx.context.createAuthCookie("two_factor");
  const challenge = await ctx.getSignedCookie(cookie.name, ctx.context.secret);
  return challenge
    ? (await ctx.context.internalAdapter.findVerificationValue(challenge))?.value
    : undefined;
}

/** Writes down what came of a call: failures, sign-ins and changes. A browser that signs in is known from then on. */
export const afterSignIn = createAuthMiddleware(async (ctx) => {
  if (ctx.context.returned instanceof APIError) return noteFailure(ctx, ctx.context.returned);
  if (ctx.path === "/verify-email") return answerProof(ctx);
  await assertNotOvertaken(ctx);
  const address = addressOf(ctx);
  const tried = triedPassword(ctx);
  if (tried) await forgetTry(tried);
  await noteMemory(ctx);
  const confirmed = await confirmedBy(ctx);
  if (confirmed) await forgetPasswords(confirmed);
  const before = ctx.context.session;
  const opened = ctx.context.newSession;
  if (CODE_PATHS.has(ctx.path)) {
    const userId = (opened ?? before)?.user.id;
    if (userId) await reset("second_factor", userId);
  }
  const change =
    CODE_PATHS.has(ctx.path) && before && opened ? "two_factor_enabled" : CHANGES[ctx.path];
  const userId = (opened ?? before)?.user.id;
  if (userId && ENDS_PROOFS.has(ctx.path)) await unscopedEndProofs(userId);
  if (change && userId) await auditAccountChange(userId, { action: change, address });
  // Where a code is still to come, the second factor's own hook has taken the session back.
  if (!opened || before || !SIGN_IN_PATHS.has(ctx.path)) return;
  if (ctx.headers?.has(proofHeader)) return;
  await auditAccount(opened.user.id, { action: "signed_in", address });
  const cookie = browserCookie(ctx);
  ctx.setCookie(
    cookie.name,
    rememberBrowser(ctx.getCookie(cookie.name), opened.user.email),
    cookie.attributes,
  );
});

/**
 * Keeps in the library's own cookie whether a session is to be remembered, for the answers that hand it out again. A choice that was made
 * before in this browser ends.
 */
async function noteMemory(ctx: HookContext): Promise<void> {
  const { dontRememberToken } = ctx.context.authCookies;
  const { name, attributes } = dontRememberToken;
  if (ctx.path === "/sign-in/email") {
    const { rememberMe } = ctx.body as { rememberMe?: unknown };
    if (rememberMe !== false && ctx.getCookie(name)) expireCookie(ctx, dontRememberToken);
  } else if (ctx.path === "/passkey/verify-authentication") {
    if (ctx.headers?.has(briefHeader))
      await ctx.setSignedCookie(name, "true", ctx.context.secret, attributes);
    else expireCookie(ctx, dontRememberToken);
  }
}

/** Failures are written in the background: an unknown account must not answer sooner than a known one. */
async function noteFailure(ctx: HookContext, { statusCode, body }: APIError): Promise<void> {
  const address = addressOf(ctx);
  const confirmed = await confirmedBy(ctx);
  if (confirmed)
    return body?.code === "INVALID_PASSWORD"
      ? noteWrongPassword(confirmed, address)
      : returnPassword(confirmed);
  if (statusCode !== 401) return;
  const tried = triedPassword(ctx);
  if (tried) {
    auditFailedTry(tried.email, { action: "sign_in_failed", address });
    const scope = await lockedBy(tried);
    if (scope)
      auditFailedTry(tried.email, { action: "sign_in_locked", address, details: { scope } });
  }
  const userId = CODE_PATHS.has(ctx.path) ? await challenged(ctx) : undefined;
  const user = userId === undefined ? undefined : await unscopedFindUser(userId);
  if (!user) return;
  auditFailedTry(user.email, { action: "second_factor_failed", address });
  if (!(await peek("second_factor", user.id)).allowed)
    auditFailedTry(user.email, { action: "second_factor_locked", address });
}

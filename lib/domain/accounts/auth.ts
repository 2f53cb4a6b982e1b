import { passkey } from "@better-auth/passkey";
import { betterAuth } from "better-auth";
import { APIError, createAuthMiddleware, getSessionFromCtx } from "better-auth/api";
import { twoFactor } from "better-auth/plugins/two-factor";
import { authAdapter } from "@/db/auth-adapter";
import { db, withTransaction } from "@/db/client";
import { passwordLength } from "@/lib/contract/values";
import { env } from "@/lib/env";
import { log } from "@/lib/kernel/log";
import { hashPassword, isPassword } from "@/lib/kernel/password";
import { digest, signature } from "@/lib/kernel/secrets";
import { noteInBusinesses } from "../users/note";
import { accountOf } from "../users/reset-password";
import {
  markVerified,
  unscopedCountTry,
  unscopedDropSecondFactors,
  unscopedEndProofs,
  unscopedForgetTries,
  unscopedUseCode,
} from "../users/rows";
import { resetMail, verificationMail } from "./mails";
import { answerProof, assertProven, proveAddress } from "./proof";

const day = 24 * 60 * 60;

const make = () =>
  betterAuth({
    baseURL: env.BASE_URL,
    basePath: "/api/auth",
    secret: signature("better-auth", "auth"),
    appName: "Kutip",
    database: authAdapter,
    emailAndPassword: {
      enabled: true,
      minPasswordLength: passwordLength.min,
      maxPasswordLength: passwordLength.max,
      password: { hash: hashPassword, verify: ({ hash, password }) => isPassword(hash, password) },
      revokeSessionsOnPasswordReset: true,
      sendResetPassword: ({ user, token }) => resetMail(db, { recipient: user.email, token }),
      onPasswordReset: async ({ user }, request) => {
        await unscopedForgetTries(accountOf(user.email));
        await unscopedEndProofs(user.id);
        const address = request?.headers.get(clientHeader) ?? null;
        await noteForAll(user.id, "password_reset", address);
        if (user.emailVerified) return;
        // The mail is the first proof of the address: what the account was given before ends.
        await unscopedDropSecondFactors(db, user.id);
        await markVerified(db, user.id);
        await noteForAll(user.id, "address_confirmed", address);
      },
    },
    emailVerification: {
      expiresIn: day,
      beforeEmailVerification: async ({ id }, request) => {
        const session = request && (await auth().api.getSession({ headers: request.headers }));
        const { reset } = await proveAddress({ id }, request, session?.user.id);
        const address = request?.headers.get(clientHeader) ?? null;
        if (reset) await noteForAll(id, "account_reset", address);
        await noteForAll(id, "address_confirmed", address);
      },
      sendVerificationEmail: ({ user, token }) =>
        verificationMail(db, { recipient: user.email, token }),
    },
    databaseHooks: {
      session: {
        create: {
          after: ({ userId, ipAddress }) => noteForAll(userId, "signed_in", ipAddress ?? null),
        },
      },
    },
    session: { expiresIn: 7 * day, updateAge: day, cookieCache: { enabled: false } },
    verification: { storeIdentifier: "hashed" },
    advanced: {
      cookiePrefix: "kutip",
      useSecureCookies: env.BASE_URL.startsWith("https:"),
      database: { generateId: "uuid" },
      ipAddress: { ipAddressHeaders: [clientHeader] },
    },
    trustedOrigins: [env.BASE_URL],
    // The route in front of it limits and checks the origin, in the house's words.
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    logger: { level: "error", log: (level, message) => log[level](message) },
    // A refusal is an answer; a fault goes to the route, which tells a missing database from a mistake of ours.
    onAPIError: { onError: rethrowFault },
    hooks: { before: guardGuessing, after: noteOutcome },
    plugins: [
      // No device is trusted to go without the code.
      twoFactor({ issuer: "Kutip", trustDeviceMaxAge: 0 }),
      passkey({
        rpID: new URL(env.BASE_URL).hostname,
        rpName: "Kutip",
        origin: env.BASE_URL,
        authenticatorSelection: { residentKey: "preferred", userVerification: "required" },
        registration: {
          afterVerification: async ({ verification }) =>
            assertPersonProven(verification.registrationInfo?.userVerified),
        },
        authentication: {
          afterVerification: async ({ verification }) =>
            assertPersonProven(verification.authenticationInfo.userVerified),
        },
      }),
    ],
  });

/** Carries the caller's address, as the server found it, into better-auth. */
export const clientHeader = "x-kutip-client";

let made: ReturnType<typeof make> | undefined;

/** better-auth, made on first use: its settings are not known while Next.js builds. */
export function auth(): ReturnType<typeof make> {
  made ??= make();
  return made;
}

/** A passkey stands for password and second factor, so the device must have asked for a finger, a face or a PIN. The library asks for it and does not look. */
function assertPersonProven(verified: boolean | undefined): void {
  if (!verified)
    throw new APIError("UNAUTHORIZED", {
      code: "user_not_verified",
      message: "This passkey did not check who you are.",
    });
}

function rethrowFault(error: unknown): void {
  if (!(error instanceof APIError)) throw error;
}

// What a person changes about how they get in, and how the log calls it.
const noted: Record<string, string> = {
  "/change-password": "password_changed",
  "/two-factor/enable": "two_factor_begun",
  "/two-factor/disable": "two_factor_removed",
  "/two-factor/generate-backup-codes": "recovery_codes_renewed",
  "/passkey/verify-registration": "passkey_added",
  "/passkey/delete-passkey": "passkey_removed",
};

/** A sign-in and what touches one stand in the log of every business it opens. */
async function noteForAll(userId: string, action: string, address: string | null): Promise<void> {
  await withTransaction((tx) => noteInBusinesses(tx, userId, { action, address }));
}

// After these, what was handed out before to get in by opens nothing.
const endsProofs = new Set(["/change-password", "/two-factor/enable", "/two-factor/disable"]);

const emailOf = (body: unknown): string | undefined => {
  const email = (body as { email?: unknown } | undefined)?.email;
  return typeof email === "string" ? email : undefined;
};

/** A locked account is not tried; a one-time code opens once. */
const guardGuessing = createAuthMiddleware(async (ctx) => {
  await assertProven(ctx);
  if (ctx.path === "/sign-in/email") {
    const email = emailOf(ctx.body);
    const wait = email === undefined ? null : await unscopedCountTry(accountOf(email));
    if (wait !== null) {
      throw new APIError(
        "TOO_MANY_REQUESTS",
        {
          code: "account_locked",
          message: "Too many wrong passwords. Try again later, or reset the password.",
        },
        { "retry-after": String(wait) },
      );
    }
  }
  if (ctx.path === "/two-factor/verify-totp") {
    const code = (ctx.body as { code?: unknown } | undefined)?.code;
    const userId = await challenged(ctx);
    if (
      userId &&
      typeof code === "string" &&
      !(await unscopedUseCode(userId, digest(`totp:${userId}:${code}`)))
    ) {
      throw new APIError("UNAUTHORIZED", {
        code: "code_used",
        message: "This code was used already. Wait for the next one.",
      });
    }
  }
});

type HookContext = Parameters<Parameters<typeof createAuthMiddleware>[0]>[0];

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

const noteOutcome = createAuthMiddleware(async (ctx) => {
  if (ctx.context.returned instanceof APIError) return;
  if (ctx.path === "/verify-email") return answerProof(ctx);
  const email = ctx.path === "/sign-in/email" ? emailOf(ctx.body) : undefined;
  if (email !== undefined) await unscopedForgetTries(accountOf(email));
  const action = noted[ctx.path];
  const userId = action && (ctx.context.newSession ?? ctx.context.session)?.user.id;
  if (userId && endsProofs.has(ctx.path)) await unscopedEndProofs(userId);
  if (action && userId) await noteForAll(userId, action, ctx.headers?.get(clientHeader) ?? null);
});

import { passkey } from "@better-auth/passkey";
import { betterAuth } from "better-auth";
import { APIError } from "better-auth/api";
import { twoFactor } from "better-auth/plugins/two-factor";
import { authAdapter } from "@/db/auth-adapter";
import { db } from "@/db/client";
import { databaseNow } from "@/db/now";
import { passwordLength } from "@/lib/contract/values";
import { env } from "@/lib/env";
import { log } from "@/lib/kernel/log";
import { hashPassword, isPassword } from "@/lib/kernel/password";
import { activeKey, authSecretOf, knownKeys, unnamedKey } from "@/lib/kernel/secrets";
import { unscopedEndProofs } from "../users/rows";
import { auditAccount, auditAccountChange } from "./account-audit";
import { afterSignIn, beforeSignIn } from "./auth-hooks";
import { briefHeader, clientHeader } from "./headers";
import { resetMail, verificationMail } from "./mails";
import { proveAddress, proveByReset } from "./proof";

const day = 24 * 60 * 60;
/** A session that its person did not ask to keep. A trigger never lets one of this length, or of a minute more, run on. */
const BRIEF_SECONDS = 12 * 60 * 60;

const make = () =>
  betterAuth({
    baseURL: env.BASE_URL,
    basePath: "/api/auth",
    secrets: keysActiveFirst().map(authSecretOf),
    // For what was encrypted before values named their secret.
    secret: authSecretOf(unnamedKey()).value,
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
        await unscopedEndProofs(user.id);
        const address = request?.headers.get(clientHeader) ?? null;
        await auditAccountChange(user.id, { action: "password_reset", address });
        if (await proveByReset(user))
          await auditAccount(user.id, { action: "address_confirmed", address });
      },
    },
    emailVerification: {
      expiresIn: day,
      beforeEmailVerification: async ({ id }, request) => {
        const session = request && (await auth().api.getSession({ headers: request.headers }));
        const { reset } = await proveAddress({ id }, request, session?.user.id);
        const address = request?.headers.get(clientHeader) ?? null;
        if (reset) await auditAccount(id, { action: "account_reset", address });
        await auditAccount(id, { action: "address_confirmed", address });
      },
      sendVerificationEmail: async ({ user, token }, request) => {
        const session = request && (await auth().api.getSession({ headers: request.headers }));
        const isOwn = session?.user.id === user.id;
        await verificationMail(db, { recipient: user.email, token, isOwn });
      },
    },
    // Sensitive calls ask for a recent proof in the route, so the library's own age of a session is off.
    session: {
      expiresIn: 7 * day,
      updateAge: day,
      freshAge: 0,
      cookieCache: { enabled: false },
      additionalFields: { provenAt: { type: "date", required: false, input: false } },
    },
    databaseHooks: {
      session: {
        create: {
          before: async (session, ctx) => {
            const replaced = ctx?.context.session?.session;
            if (replaced?.userId === session.userId) return { data: goingOn(replaced) };
            // The library gives a day to a session that is not to be remembered.
            const brief =
              ctx?.headers?.has(briefHeader) || +session.expiresAt <= Date.now() + day * 1000;
            // A sign-in is a proof, and the database's clock measures its age.
            const createdAt = new Date(await databaseNow());
            if (!brief) return { data: { createdAt } };
            return { data: { createdAt, expiresAt: new Date(+createdAt + BRIEF_SECONDS * 1000) } };
          },
        },
      },
    },
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
    // A refusal is an answer. A fault goes to the route, which separates a missing database from a bug.
    onAPIError: { onError: rethrowFault },
    hooks: { before: beforeSignIn },
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
      // The last, so that it sees what the hooks of the others leave.
      { id: "kutip", hooks: { after: [{ matcher: () => true, handler: afterSignIn }] } },
    ],
  });

const keysActiveFirst = () => {
  const active = activeKey();
  return [active, ...knownKeys().filter(({ id }) => id !== active.id)];
};

let made: { keys: string; auth: ReturnType<typeof make> } | undefined;

type Held = { createdAt: Date; expiresAt: Date; provenAt?: Date | null };

/** A session that replaces another is no sign-in: the end and the proof of the one before hold on. */
function goingOn({ createdAt, expiresAt, provenAt = null }: Held): Partial<Held> {
  const brief = +expiresAt - +createdAt <= (BRIEF_SECONDS + 60) * 1000;
  return { createdAt, provenAt, ...(brief ? { expiresAt } : {}) };
}

/** better-auth, made on first use and when the secrets change: its settings are not known while Next.js builds. */
export function auth(): ReturnType<typeof make> {
  const keys = [...keysActiveFirst(), unnamedKey()].map(({ id }) => id).join();
  if (made?.keys !== keys) made = { keys, auth: make() };
  return made.auth;
}

/** A passkey replaces password and second factor, so the device must have verified its user. The library requests that and does not check it. */
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

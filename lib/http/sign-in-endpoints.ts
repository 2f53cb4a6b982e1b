import * as z from "zod";
import { check } from "@/lib/contract/messages";
import { PasskeyName } from "@/lib/contract/names";
import { invalid, notFound } from "@/lib/kernel/problem";

/** An endpoint of better-auth that callers reach. All other fields of its body and query are dropped. */
export type SignInEndpoint = {
  /** A secret could be guessed here, so each call is a try that counts against the caller's address. */
  guessed: boolean;
  /** A session needs a recent proof of who its person is. */
  sensitive?: true;
  body?: readonly string[];
  query?: readonly string[];
  /** Body fields that we set, whatever the caller sends. */
  fixed?: Readonly<Record<string, unknown>>;
};

const endpoints: Record<string, SignInEndpoint> = {
  "POST /sign-in/email": { guessed: true, body: ["email", "password", "rememberMe"] },
  "POST /sign-out": { guessed: false },
  "GET /get-session": { guessed: false },
  "POST /request-password-reset": { guessed: true, body: ["email"] },
  "POST /reset-password": { guessed: true, body: ["token", "newPassword"] },
  "POST /send-verification-email": { guessed: true, body: ["email"] },
  "GET /verify-email": { guessed: true, query: ["token"] },
  "POST /change-password": {
    guessed: true,
    sensitive: true,
    body: ["currentPassword", "newPassword"],
    fixed: { revokeOtherSessions: true },
  },
  "POST /two-factor/enable": { guessed: true, sensitive: true, body: ["password"] },
  "POST /two-factor/disable": { guessed: true, sensitive: true, body: ["password"] },
  "POST /two-factor/verify-totp": { guessed: true, sensitive: true, body: ["code"] },
  "POST /two-factor/verify-backup-code": { guessed: true, body: ["code"] },
  "POST /two-factor/generate-backup-codes": { guessed: true, sensitive: true, body: ["password"] },
  "GET /passkey/generate-register-options": { guessed: false, sensitive: true, query: ["name"] },
  "POST /passkey/verify-registration": {
    guessed: false,
    sensitive: true,
    body: ["response", "name"],
  },
  "GET /passkey/generate-authenticate-options": { guessed: false },
  "POST /passkey/verify-authentication": { guessed: true, body: ["response"] },
  "GET /passkey/list-user-passkeys": { guessed: false },
  "POST /passkey/delete-passkey": { guessed: false, sensitive: true, body: ["id"] },
  "POST /passkey/update-passkey": { guessed: false, body: ["id", "name"] },
};

/** The endpoint that a method and a path below /api/auth name; undefined for all that is not let in. */
export const signInEndpoint = (method: string, path: string): SignInEndpoint | undefined =>
  endpoints[`${method === "HEAD" ? "GET" : method} ${path}`];

const PasskeyFields = z.object({ name: PasskeyName.optional() });

/** better-auth takes any text as id and name of a passkey. Throws 404 and 422. */
function assertPasskeyFields({ id, name }: { id?: unknown; name?: unknown }): void {
  if (id !== undefined && !z.uuid().safeParse(id).success) throw notFound();
  const checked = check(PasskeyFields, { name });
  if (!checked.ok) throw invalid(checked.errors);
}

/** The body that better-auth sees: the endpoint's own fields alone. Throws 404 and 422. */
export function allowedBody(
  { body = [], fixed }: SignInEndpoint,
  given: Record<string, unknown>,
): Record<string, unknown> {
  const kept = Object.fromEntries(
    body.filter((name) => Object.hasOwn(given, name)).map((name) => [name, given[name]]),
  );
  assertPasskeyFields(kept);
  return { ...kept, ...fixed };
}

/** The query that better-auth sees, with its question mark. Throws 422. */
export function allowedQuery({ query = [] }: SignInEndpoint, given: URLSearchParams): string {
  const kept = new URLSearchParams();
  for (const name of query) {
    const value = given.get(name);
    if (value !== null) kept.set(name, value);
  }
  assertPasskeyFields(Object.fromEntries(kept));
  return kept.size > 0 ? `?${kept}` : "";
}

/** The sensitive endpoints, as "METHOD /path" below /api/auth. */
export const sensitiveSignInEndpoints: readonly string[] = Object.keys(endpoints).filter(
  (name) => endpoints[name]?.sensitive,
);

import { APIError } from "better-auth/api";
import type { Proof } from "@/lib/contract/me";
import { tooManyRequests } from "@/lib/domain/limits/limits";
import { isPassword } from "@/lib/kernel/password";
import { invalid, Problem } from "@/lib/kernel/problem";
import {
  type UserRow,
  unscopedEndSession,
  unscopedFindCredential,
  unscopedNoteProof,
} from "../users/rows";
import { auditAccount } from "./account-audit";
import { auth } from "./auth";
import { clientHeader, proofHeader } from "./headers";
import { countPassword, forgetPasswords, noteWrongPassword } from "./session-tries";
import { withActiveSignatures } from "./signed-cookies";

type Signed = { user: UserRow; sessionId: string };
type From = { address: string; userAgent: string; cookie: string };

/** Renews the proof of a session, by passkey, or by password and the second factor where there is one. Throws 422 and 429. */
export async function reauthenticate(signed: Signed, proof: Proof, from: From): Promise<void> {
  if (proof.passkey) await provePasskey(signed, proof.passkey, from);
  else {
    await provePassword(signed, proof.password ?? "", from);
    if (signed.user.twoFactorEnabled) await proveCode(proof, from);
  }
  await unscopedNoteProof(signed.sessionId);
  await auditAccount(signed.user.id, { action: "reauthenticated", address: from.address });
}

const headersOf = async ({ address, userAgent, cookie }: From) =>
  new Headers({
    cookie: await withActiveSignatures(cookie),
    "user-agent": userAgent,
    [clientHeader]: address,
    [proofHeader]: "1",
  });

async function provePassword(
  { user, sessionId }: Signed,
  password: string,
  { address }: From,
): Promise<void> {
  const session = { userId: user.id, sessionId };
  const allowance = await countPassword(session);
  if (!allowance.allowed) throw tooManyRequests(allowance, "Too many wrong passwords.");
  const hash = (await unscopedFindCredential(user.email))?.passwordHash;
  if (hash && (await isPassword(hash, password))) return forgetPasswords(session);
  await noteWrongPassword(session, address);
  throw invalid({ password: ["This is not your password."] });
}

async function proveCode({ code, recovery_code }: Proof, from: From): Promise<void> {
  const given = code ?? recovery_code;
  if (given === undefined) throw invalid({ code: ["The code field is required."] });
  const field = code === undefined ? "recovery_code" : "code";
  const asked = { body: { code: given }, headers: await headersOf(from) };
  try {
    if (code === undefined) await auth().api.verifyBackupCode(asked);
    else await auth().api.verifyTOTP(asked);
  } catch (error) {
    throw refusal(error, { [field]: ["This code is wrong or was already used."] });
  }
}

/** The library can only sign in by passkey. Its session is ended at once and only shows the owner of the passkey. */
async function provePasskey(
  { user }: Signed,
  response: Record<string, unknown>,
  from: From,
): Promise<void> {
  try {
    const { session } = await auth().api.verifyPasskeyAuthentication({
      body: { response: response as never },
      headers: await headersOf(from),
    });
    await unscopedEndSession(session.userId, session.id);
    if (session.userId === user.id) return;
  } catch (error) {
    throw refusal(error, { passkey: ["This passkey was not accepted."] });
  }
  throw invalid({ passkey: ["This passkey belongs to another account."] });
}

function refusal(error: unknown, errors: Record<string, string[]>): unknown {
  if (!(error instanceof APIError)) return error;
  return error.statusCode === 429
    ? new Problem(429, "too_many_requests", "Too many wrong codes. Try again later.", {
        headers: { "retry-after": "900" },
      })
    : invalid(errors);
}

import type { Me, SignInSession } from "@/lib/contract/me";
import { logoOut } from "../logo-address";
import { notFound } from "@/lib/kernel/problem";
import { env } from "@/lib/env";
import { version } from "@/lib/kernel/version";
import {
  type SessionRow,
  type UserRow,
  unscopedBusinessesOf,
  unscopedEndOtherSessions,
  unscopedEndProofs,
  unscopedEndSession,
  unscopedListSessions,
  unscopedRename,
} from "./rows";

type Signed = { user: UserRow; sessionId: string };

/** Who is signed in, and the businesses that are open to them. */
export async function me({ user, sessionId }: Signed): Promise<Me> {
  const businesses = (await unscopedBusinessesOf(user.id)).filter(
    ({ joinedByLink }) => user.emailVerified || joinedByLink,
  );
  return {
    user: {
      _id: user.id,
      name: user.name,
      email: user.email,
      email_verified: user.emailVerified,
      two_factor_enabled: user.twoFactorEnabled ?? false,
    },
    session_id: sessionId,
    businesses: businesses.map(({ id, name, timeZone, role, logo }) => ({
      business_id: id,
      name,
      time_zone: timeZone,
      role,
      logo: logo && logoOut(logo).url,
    })),
    sends_mail: Boolean(env.SMTP_URL),
    operator_contacts: [...env.OPERATOR_CONTACT],
    kutip_version: version,
  };
}

/** Changes a person's own name. */
export async function rename(signed: Signed, name: string): Promise<Me> {
  return me({ ...signed, user: await unscopedRename(signed.user.id, name) });
}

const moment = (date: Date) => date.toISOString().replace("Z", "000Z");

const present = (row: SessionRow, current: string): SignInSession => ({
  _id: row.id,
  current: row.id === current,
  ip_address: row.ipAddress || null,
  user_agent: row.userAgent || null,
  created_at: moment(row.createdAt),
  last_seen_at: moment(row.updatedAt),
  expires_at: moment(row.expiresAt),
});

/** Where a person is signed in now. */
export async function listSessions({ user, sessionId }: Signed): Promise<SignInSession[]> {
  return (await unscopedListSessions(user.id)).map((row) => present(row, sessionId));
}

/** Ends a session of a person's own. Throws 404. */
export async function endSession({ user, sessionId }: Signed, id: string): Promise<SignInSession> {
  const ended = await unscopedEndSession(user.id, id);
  if (!ended) throw notFound();
  return present(ended, sessionId);
}

/** Ends all sessions of a person but this one, and all else that was handed out to get in by. Returns the sessions that ended. */
export async function endOtherSessions({ user, sessionId }: Signed): Promise<SignInSession[]> {
  await unscopedEndProofs(user.id);
  return (await unscopedEndOtherSessions(user.id, sessionId)).map((row) => present(row, sessionId));
}

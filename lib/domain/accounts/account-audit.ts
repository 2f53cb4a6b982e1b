import { db, withTransaction } from "@/db/client";
import { inBackground } from "@/lib/kernel/background";
import { hasNotice } from "@/lib/mail/templates/security-notice";
import { noteInBusinesses } from "../users/note";
import { unscopedFindCredential, unscopedFindUser } from "../users/rows";
import { securityNotice } from "./notices";

type Happened = { action: string; address: string | null; details?: Record<string, unknown> };

/** Writes what happened to an account into the audit log of every business that it opens. */
export const auditAccount = (userId: string, happened: Happened): Promise<void> =>
  withTransaction((tx) => noteInBusinesses(tx, userId, happened));

/** The same for a change of how a person gets in; the person is mailed. */
export async function auditAccountChange(userId: string, happened: Happened): Promise<void> {
  await auditAccount(userId, happened);
  const user = hasNotice(happened.action) ? await unscopedFindUser(userId) : undefined;
  if (user)
    await securityNotice(db, {
      recipient: user.email,
      action: happened.action,
      person: null,
      businessName: null,
      mode: null,
      clientAddress: happened.address,
    });
}

/** Writes a failed try. In the background: the time of the answer must not show whether the account is known. */
export function auditFailedTry(email: string, happened: Happened): void {
  inBackground("the audit of a failed sign-in", async () => {
    const credential = await unscopedFindCredential(email);
    if (credential) await auditAccount(credential.userId, happened);
  });
}

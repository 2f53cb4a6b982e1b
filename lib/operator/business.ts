import { parseArgs } from "node:util";
import { withTransaction } from "@/db/client";
import { NewBusiness } from "@/lib/contract/account";
import { check } from "@/lib/contract/messages";
import { mailPasswordLink } from "@/lib/domain/accounts/enter";
import { record } from "@/lib/domain/audit/record";
import { createBusiness } from "@/lib/domain/businesses/create";
import { addMember, createUser } from "@/lib/domain/users/create";
import { noteInBusinesses } from "@/lib/domain/users/note";
import {
  markVerified,
  unscopedDropCredentials,
  unscopedLockUserByEmail,
} from "@/lib/domain/users/rows";
import { env } from "@/lib/env";
import { newPassword } from "@/lib/kernel/password";
import { invalid } from "@/lib/kernel/problem";
import { note, print, UsageError } from "./usage";
import { withInstall } from "./with-install";

const outcomes: Record<string, (email: string) => string> = {
  new: (email) => `${email} is a new account with the password printed below`,
  known: (email) => `${email} had an account, with its address confirmed, and keeps its password`,
  reset: (email) =>
    `${email} had an account with an unconfirmed address: its password, sessions, passkeys and second factor are gone, and a link to choose a password is ${
      env.SMTP_URL ? "on its way" : "in the outbox (kutip mail:list, mail:show)"
    }`,
};

/**
 * Makes a business and its owner. A new owner gets a password; a known one keeps theirs. An account that never proved its address first
 * loses all that opens it, and is mailed a link to choose a password. The operator vouches for the address.
 */
export async function businessCreate(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      email: { type: "string" },
      name: { type: "string" },
      "time-zone": { type: "string" },
      currency: { type: "string" },
      json: { type: "boolean" },
    },
  });
  if (positionals.length !== 1 || !values.email)
    throw new UsageError("a business needs a name and its owner's address");
  const given = check(NewBusiness, {
    business_name: positionals[0],
    email: values.email,
    name: values.name ?? values.email.split("@")[0],
    time_zone: values["time-zone"],
    default_currency: values.currency,
  });
  if (!given.ok) throw invalid(given.errors);
  const { business_name, email, name, time_zone, default_currency } = given.data;
  await withInstall(async () => {
    const { owner, made } = await withTransaction(async (tx) => {
      const business = await createBusiness(
        { name: business_name, timeZone: time_zone, defaultCurrency: default_currency },
        tx,
      );
      const known = await unscopedLockUserByEmail(email, tx);
      const password = newPassword();
      const owner = known ?? (await createUser({ email, name, password, emailVerified: true }, tx));
      const reset = known !== undefined && !known.emailVerified;
      if (reset) {
        await unscopedDropCredentials(tx, owner.id);
        await markVerified(tx, owner.id);
        await noteInBusinesses(
          tx,
          owner.id,
          { action: "account_reset", address: null },
          { kind: "operator" },
        );
      }
      await addMember(business.id, owner.id, "owner", tx);
      await record(
        tx,
        business.id,
        { kind: "operator" },
        { action: "business:create", objectId: owner.id, details: { email: owner.email, reset } },
      );
      return {
        owner,
        made: {
          business_id: business.id,
          email: owner.email,
          account: reset ? "reset" : known ? "known" : "new",
          ...(known ? {} : { password }),
        },
      };
    });
    if (made.account === "reset") await mailPasswordLink(owner);
    note(outcomes[made.account]?.(made.email) ?? "");
    print(JSON.stringify(made, null, 2));
  });
}

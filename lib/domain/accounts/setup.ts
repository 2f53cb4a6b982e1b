import { timingSafeEqual } from "node:crypto";
import { type Tx, withTransaction } from "@/db/client";
import { readSetting, replaceSetting } from "@/db/settings";
import type { Install, NewBusiness, SetupInput } from "@/lib/contract/account";
import { env } from "@/lib/env";
import { invalid, Problem } from "@/lib/kernel/problem";
import { newPassword } from "@/lib/kernel/password";
import { digest } from "@/lib/kernel/secrets";
import { record } from "../audit/record";
import { createBusiness } from "../businesses/create";
import { unscopedAnyBusiness, unscopedLockInstall } from "../businesses/rows";
import { addMember, claimUser } from "../users/create";

const codeKey = "setup_code";

/** For the start of an empty install: a new code for its first-run page; null when there is a business already. */
export async function offerSetup(): Promise<string | null> {
  if (await unscopedAnyBusiness()) return null;
  const code = newPassword();
  await replaceSetting(codeKey, digest(code));
  return code;
}

/** What the pages before sign-in show. */
export async function describeInstall(): Promise<Install> {
  const empty = !(await unscopedAnyBusiness());
  return {
    empty,
    has_setup_code: empty && (await readSetting(codeKey)) !== undefined,
    sign_up: env.SIGN_UP,
    sends_mail: Boolean(env.SMTP_URL),
    operator_contacts: [...env.OPERATOR_CONTACT],
  };
}

export type Founded = { businessId: number; email: string };

/** Creates a business and its owner, with a proven address and the first entry of the audit log. Throws 422 when the address is taken. */
export async function found(
  tx: Tx,
  input: NewBusiness & { password: string },
  how: { action: string; address: string },
): Promise<Founded> {
  const business = await createBusiness(
    {
      name: input.business_name,
      timeZone: input.time_zone,
      defaultCurrency: input.default_currency,
    },
    tx,
  );
  const { email, name, password } = input;
  const owner = await claimUser({ email, name, password, emailVerified: true }, tx, how.address);
  await addMember(business.id, owner.id, "owner", tx);
  await record(
    tx,
    business.id,
    { kind: "person", id: owner.id },
    { action: how.action, address: how.address },
  );
  return { businessId: business.id, email: owner.email };
}

/** The first business of an install, for the holder of the code that the start printed. Throws 403 when there is one, 422 for a wrong code. */
export async function setUp(input: SetupInput, address: string): Promise<Founded> {
  const wanted = Buffer.from((await readSetting(codeKey)) ?? "");
  const given = Buffer.from(digest(input.code.trim().toLowerCase()));
  const right = wanted.length === given.length && timingSafeEqual(wanted, given);
  return withTransaction(async (tx) => {
    await unscopedLockInstall(tx);
    if (await unscopedAnyBusiness(tx))
      throw new Problem(403, "forbidden", "This install is already set up.");
    if (!right) throw invalid({ code: ["The code is not the one printed at the last start."] });
    // Reading the server's output is proof enough; no mail is needed.
    return found(tx, input, { action: "set_up", address });
  });
}

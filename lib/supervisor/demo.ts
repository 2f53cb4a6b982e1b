import { writeFileSync } from "node:fs";
import { withTransaction } from "@/db/client";
import { createKey } from "@/lib/domain/api-keys/create";
import { record } from "@/lib/domain/audit/record";
import { createBusiness } from "@/lib/domain/businesses/create";
import { unscopedAnyBusiness } from "@/lib/domain/businesses/rows";
import { addMember, createUser } from "@/lib/domain/users/create";
import { env } from "@/lib/env";
import { newPassword } from "@/lib/kernel/password";

/** What the first start leaves behind for the person who tries Kutip out. */
export type FirstRun = {
  base_url: string;
  business_id: number;
  email: string;
  password: string;
  api_key: string;
};

const LOOPBACK = /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/;

/** Makes the demo business on an empty database of a loopback install and writes its `first-run.json` (mode 0600); null when it does not apply. */
export async function makeDemo(file: string): Promise<FirstRun | null> {
  if (!LOOPBACK.test(new URL(env.BASE_URL).hostname) || (await unscopedAnyBusiness())) return null;
  const password = newPassword();
  return withTransaction(async (tx) => {
    const business = await createBusiness({ name: "Demo Shop" }, tx);
    const owner = await createUser(
      { email: "demo@kutip.example", name: "Demo Owner", password, emailVerified: true },
      tx,
    );
    await addMember(business.id, owner.id, "owner", tx);
    await record(tx, business.id, { kind: "operator" }, { action: "demo", objectId: owner.id });
    const key = await createKey({ businessId: business.id, mode: "test" }, "Demo", { on: tx });
    const values = {
      base_url: env.BASE_URL,
      business_id: business.id,
      email: owner.email,
      password,
      api_key: key.secret,
    };
    // Inside the transaction: without the file no one could ever sign in.
    keepFirstRun(file, values);
    return values;
  });
}

function keepFirstRun(file: string, values: FirstRun): void {
  writeFileSync(file, `${JSON.stringify(values, null, 2)}\n`, { mode: 0o600 });
}

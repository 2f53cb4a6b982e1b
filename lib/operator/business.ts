import { parseArgs } from "node:util";
import { withTransaction } from "@/db/client";
import { NewBusiness } from "@/lib/contract/account";
import { check } from "@/lib/contract/messages";
import { record } from "@/lib/domain/audit/record";
import { createBusiness } from "@/lib/domain/businesses/create";
import { addMember, createUser } from "@/lib/domain/users/create";
import { unscopedFindUserByEmail } from "@/lib/domain/users/rows";
import { newPassword } from "@/lib/kernel/password";
import { invalid } from "@/lib/kernel/problem";
import { print, UsageError } from "./usage";
import { withInstall } from "./with-install";

/** Makes a business and its owner, who gets a new password unless the address is known already. */
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
    const made = await withTransaction(async (tx) => {
      const business = await createBusiness(
        { name: business_name, timeZone: time_zone, defaultCurrency: default_currency },
        tx,
      );
      const known = await unscopedFindUserByEmail(email, tx);
      const password = newPassword();
      const owner = known ?? (await createUser({ email, name, password }, tx));
      await addMember(business.id, owner.id, "owner", tx);
      await record(
        tx,
        business.id,
        { kind: "operator" },
        { action: "business:create", objectId: owner.id },
      );
      return { business_id: business.id, email: owner.email, ...(known ? {} : { password }) };
    });
    print(JSON.stringify(made, null, 2));
  });
}

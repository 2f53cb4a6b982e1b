import { withTransaction } from "@/db/client";
import { createKey } from "@/lib/domain/api-keys/create";
import { record } from "@/lib/domain/audit/record";
import { createBusiness } from "@/lib/domain/businesses/create";
import { addMember, createUser } from "@/lib/domain/users/create";
import { newPassword } from "@/lib/kernel/password";

/** A business in test mode, with an API key and an owner who can sign in. */
export type Shop = { businessId: number; key: string; owner: { email: string; password: string } };

/** Makes one in the database that this process uses. */
export async function openShop(name: string): Promise<Shop> {
  const password = newPassword();
  const email = `${name.toLowerCase().replaceAll(" ", "-")}@kutip.example`;
  return withTransaction(async (tx) => {
    const business = await createBusiness({ name }, tx);
    const owner = await createUser({ email, name: "Owner", password, emailVerified: true }, tx);
    await addMember(business.id, owner.id, "owner", tx);
    await record(tx, business.id, { kind: "operator" }, { action: "business:create" });
    const { secret } = await createKey({ businessId: business.id, mode: "test" }, "drill", {
      on: tx,
    });
    return { businessId: business.id, key: secret, owner: { email, password } };
  });
}

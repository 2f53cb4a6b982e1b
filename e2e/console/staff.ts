import { eq, sql } from "drizzle-orm";
import { db } from "@/db/client";
import { sessions } from "@/db/schema/auth";
import type { Role } from "@/lib/contract/values";
import { addMember, createUser } from "@/lib/domain/users/create";
import { newId } from "@/lib/kernel/ids";
import type { Install } from "../install";
import type { Shop } from "../shop";

/** A person who can sign in, and the cookie of their session. */
export type Staff = {
  id: string;
  email: string;
  password: string;
  cookie: { name: string; value: string };
};

/** Makes a person on the joined install and signs them in over HTTP, as their browser would. Their address is confirmed by default. */
export async function newStaff(
  install: Install,
  name = "Mei Tan",
  emailVerified = true,
): Promise<Staff> {
  const email = `mei.${newId()}@example.com`;
  const password = `browser-test-${newId()}`;
  const { id } = await createUser({ email, password, name, emailVerified });
  return { id, email, password, cookie: await enter(install, { email, password }) };
}

/** Signs a person in over HTTP, as a browser of that name would. Returns its cookie. */
export async function enter(
  install: Install,
  { email, password }: Pick<Staff, "email" | "password">,
  userAgent = "node",
): Promise<Staff["cookie"]> {
  const response = await fetch(`${install.url}/api/auth/sign-in/email`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      origin: new URL(install.url).origin,
      "user-agent": userAgent,
    },
    body: JSON.stringify({ email, password }),
  });
  const pair = response.headers
    .getSetCookie()
    .map((line) => line.split(";", 1)[0] ?? "")
    .find((line) => line.includes("session_token="));
  if (!response.ok || !pair)
    throw new Error(`signing in: ${response.status} ${await response.text()}`);
  const at = pair.indexOf("=");
  return { name: pair.slice(0, at), value: decodeURIComponent(pair.slice(at + 1)) };
}

/** Makes the person a member of the shop's business. Their sessions count as just proven: a worker signs in once for many tests. */
export async function joinShop({ id }: Staff, shop: Shop, role: Role = "owner"): Promise<void> {
  await addMember(shop.id, id, role, db);
  await db.update(sessions).set({ provenAt: sql`now()` }).where(eq(sessions.userId, id));
}

import { eq, sql } from "drizzle-orm";
import { expect, test } from "vitest";
import * as meRoute from "@/app/api/me/route";
import { db } from "@/db/client";
import { sessions } from "@/db/schema/auth";
import type { Me } from "@/lib/contract/me";
import { signInRoute } from "@/lib/http/sign-in";
import { call, somePerson } from "./person";

const NAME = "kutip.session_token";
const sessionIn = (cookie: string) =>
  cookie
    .split("; ")
    .find((pair) => pair.startsWith(`${NAME}=`))
    ?.slice(NAME.length + 1) ?? "";
const encoded = (text: string) => `%${text.charCodeAt(0).toString(16)}${text.slice(1)}`;

/** Cookie headers with a session that another reader may find, or not. */
const hidden: [string, (value: string) => string][] = [
  ["a space behind the name", (value) => `${NAME} =${value}`],
  ["a tab before the name", (value) => `a=b;\t${NAME}=${value}`],
  ["a tab behind the name", (value) => `${NAME}\t=${value}`],
  ["an encoded letter", (value) => `${NAME}=${encoded(value)}`],
  ["quotes", (value) => `${NAME}="${value}"`],
  ["a space behind the equals sign", (value) => `${NAME}= ${value}`],
  ["a pair without a name before it", (value) => `a;${NAME}=${value}`],
  ["a prefix of other installs", (value) => `__Secure-${NAME}=${value}`],
];

const account = (path: string, cookie: string) =>
  call(signInRoute, `/auth${path}`, { headers: { cookie } });
const ADD_PASSKEY = "/passkey/generate-register-options?name=Laptop";

/** The person that each reader of the cookie finds; undefined for none. */
async function readers(cookie: string) {
  const me = await call(meRoute.GET, "/me", { headers: { cookie } });
  const found = (await (await account("/get-session", cookie)).json()) as {
    user?: { email: string };
  } | null;
  const person = me.ok ? ((await me.json()) as { data: Me }).data.user.email : undefined;
  return [person, found?.user?.email];
}

test.each(hidden)("a stolen session adds no passkey, sent with %s", async (_how, sent) => {
  const { userId, cookie } = await somePerson();
  await db
    .update(sessions)
    .set({ createdAt: sql`now() - interval '1 hour'`, provenAt: null })
    .where(eq(sessions.userId, userId));
  expect((await account(ADD_PASSKEY, cookie)).status).toBe(403);
  expect([401, 403]).toContain((await account(ADD_PASSKEY, sent(sessionIn(cookie)))).status);
});

test.each(hidden)(
  "two sessions are one person to all readers, one sent with %s",
  async (_how, sent) => {
    const [own, other] = [await somePerson(), await somePerson()];
    const pair = `${NAME}=${sessionIn(own.cookie)}`;
    expect(await readers(pair)).toEqual([own.email, own.email]);
    for (const cookie of [
      `${sent(sessionIn(other.cookie))}; ${pair}`,
      `${pair}; ${sent(sessionIn(other.cookie))}`,
      `${sent(sessionIn(other.cookie))};${pair}`,
    ]) {
      const [person, found] = await readers(cookie);
      expect(found).toBe(person);
    }
  },
);

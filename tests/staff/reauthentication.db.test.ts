import { and, eq, sql } from "drizzle-orm";
import { beforeAll, describe, expect, test } from "vitest";
import * as auditRoute from "@/app/api/audit-log/route";
import * as keysRoute from "@/app/api/api-keys/route";
import * as meRoute from "@/app/api/me/route";
import * as proofRoute from "@/app/api/me/reauthentication/route";
import { db } from "@/db/client";
import { NO_BUSINESS } from "@/db/columns";
import { sessions } from "@/db/schema/auth";
import { mails } from "@/db/schema/mails";
import { auditEntries } from "@/db/schema/team";
import { fileEndpoints, staffEndpoints } from "@/lib/contract/all";
import { endpoints } from "@/lib/contract/programs";
import type { Mode } from "@/lib/contract/values";
import type { AuditEntry } from "@/lib/contract/business";
import type { Endpoint } from "@/lib/contract/endpoint";
import { exampleBody, exampleParams } from "@/lib/contract/examples";
import { countPassword } from "@/lib/domain/accounts/session-tries";
import { addMember } from "@/lib/domain/users/create";
import { signInRoute } from "@/lib/http/sign-in";
import { sensitiveSignInEndpoints } from "@/lib/http/sign-in-endpoints";
import { api } from "../contract/setting";
import { newAuthenticator } from "./authenticator";
import { dataOf } from "./office";
import { as, call, cookiesOf, password, signIn, somePerson, someStaff } from "./person";
import { codeOf, secretOf } from "./totp";

type Staff = Awaited<ReturnType<typeof someStaff>>;

/** As if a person had signed in so long ago. */
const age = (userId: string, interval: string) =>
  db
    .update(sessions)
    .set({ createdAt: sql`now() - ${interval}::interval`, provenAt: null })
    .where(eq(sessions.userId, userId));

const prove = (cookie: string, body: unknown) =>
  call(proofRoute.POST, "/me/reauthentication", { method: "POST", headers: { cookie }, body });
const account = (path: string, cookie: string, body?: unknown) =>
  call(signInRoute, `/auth${path}`, { method: body ? "POST" : "GET", headers: { cookie }, body });
const makeLiveKey = (staff: Staff) =>
  call(keysRoute.POST, "/api-keys", {
    method: "POST",
    headers: as(staff, "live"),
    body: { name: "Web shop" },
  });
const statusAndCode = async (answer: Response) => [
  answer.status,
  ((await answer.json()) as { code?: string }).code,
];
const refused = [403, "reauthentication_required"];

const sensitive = [...endpoints, ...staffEndpoints, ...fileEndpoints].filter(
  ({ reauthenticate }) => reauthenticate !== undefined,
);

test("what the law names is declared sensitive", () => {
  expect(sensitive.map(({ id }) => id).sort()).toEqual(
    [
      "createApiKey",
      "revokeApiKey",
      "rollApiKey",
      "createIntegration",
      "renewIntegrationPassword",
      "replaceIntegrationKeys",
      "revokeIntegration",
      "getSigningSecret",
      "rollSigningSecret",
      "createWebhookEndpoint",
      "updateWebhookEndpoint",
      "rotateWebhookEndpoint",
      "updateNotificationSettings",
      "connectGateway",
      "updateGatewayConnection",
      "revokeGatewayConnection",
      "changeMember",
      "removeMember",
      "resetSecondFactor",
      "createInvitation",
      "copyInvitationLink",
      "erasePayer",
    ].sort(),
  );
});

describe("a session that was signed in to 11 minutes ago", () => {
  let staff: Staff;
  beforeAll(async () => {
    staff = await someStaff();
  });

  const ask = (endpoint: Endpoint) => {
    const params = exampleParams(endpoint);
    const path = endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? "");
    const body = endpoint.body && {
      ...exampleBody(endpoint),
      ...(endpoint.reauthenticate === "manages" ? { role: "admin" } : {}),
      ...(endpoint.id === "updateWebhookEndpoint" ? { url: "https://shop.example/hooks" } : {}),
    };
    return api(endpoint.method, path, {
      headers: { ...as(staff, "live"), origin: "http://localhost:3000" },
      body,
    });
  };

  test.each(
    sensitive.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const),
  )("is refused at %s, and a fresh one is not", async (_, endpoint) => {
    await age(staff.userId, "11 minutes");
    const old = await ask(endpoint);
    expect([old.status, old.body.code]).toEqual(refused);
    await age(staff.userId, "9 minutes");
    expect((await ask(endpoint)).body.code).not.toBe("reauthentication_required");
  });

  test.each(sensitiveSignInEndpoints)("is refused at the sign-in library's %s", async (name) => {
    const [method, path = ""] = name.split(" ");
    const person = await somePerson();
    await age(person.userId, "11 minutes");
    const body =
      method === "GET"
        ? undefined
        : { password, code: "123456", id: "none", response: {}, name: "Laptop" };
    expect(await statusAndCode(await account(path, person.cookie, body))).toEqual(refused);
    await age(person.userId, "9 minutes");
    expect((await statusAndCode(await account(path, person.cookie, body)))[1]).not.toBe(
      "reauthentication_required",
    );
  });

  test("still makes every other call: test keys and webhooks, an invitation of staff, its own profile", async () => {
    const own = await someStaff();
    const asked = (method: string, path: string, mode: Mode, body: object) =>
      api(method, path, {
        headers: { ...as(own, mode), origin: "http://localhost:3000" },
        body,
      });
    const hook = { url: "https://shop.example/hooks" };
    const made = await asked("POST", "/webhook-endpoints", "live", hook);
    const live = `/webhook-endpoints/${(made.body.data as { _id: string })._id}`;
    await age(own.userId, "11 minutes");
    const chat = { mail: ["daily"], chat: [], chat_url: null };
    for (const answer of [
      await asked("POST", "/webhook-endpoints", "test", hook),
      await asked("PUT", live, "live", { enabled: false, description: "Shop" }),
      await asked("PUT", "/notification-settings", "live", chat),
    ])
      expect(answer.status).toBe(200);
    const key = call(keysRoute.POST, "/api-keys", {
      method: "POST",
      headers: as(own),
      body: { name: "Web shop" },
    });
    expect((await key).status).toBe(200);
    const invited = await api("POST", "/team/invitations", {
      headers: { ...as(own), origin: "http://localhost:3000" },
      body: { email: "ben@example.com", role: "staff" },
    });
    expect(invited.body.code).not.toBe("reauthentication_required");
    expect((await call(meRoute.GET, "/me", { headers: { cookie: own.cookie } })).status).toBe(200);
  });
});

describe("a renewed proof", () => {
  test("by password opens sensitive calls for ten minutes, for this session alone", async () => {
    const staff = await someStaff();
    const other = { ...staff, cookie: cookiesOf(await signIn(staff.email)) };
    await age(staff.userId, "11 minutes");
    expect(await statusAndCode(await makeLiveKey(staff))).toEqual(refused);
    expect((await prove(staff.cookie, { password })).status).toBe(200);
    expect((await makeLiveKey(staff)).status).toBe(200);
    expect(await statusAndCode(await makeLiveKey(other))).toEqual(refused);
    await db
      .update(sessions)
      .set({ provenAt: sql`now() - interval '11 minutes'` })
      .where(eq(sessions.userId, staff.userId));
    expect(await statusAndCode(await makeLiveKey(staff))).toEqual(refused);
  });

  test("by a wrong password is a 422; ten end the session, and lock no one out", async () => {
    const staff = await someStaff();
    for (let i = 0; i < 10; i++)
      expect((await prove(staff.cookie, { password: "wrong horse battery" })).status).toBe(422);
    expect((await prove(staff.cookie, { password })).status).toBe(401);
    expect((await signIn(staff.email)).status).toBe(200);
  });

  test("takes the second factor too where there is one, and a code once", async () => {
    const staff = await someStaff();
    const offer = (await (
      await account("/two-factor/enable", staff.cookie, { password })
    ).json()) as { totpURI: string; backupCodes: string[] };
    const secret = secretOf(offer.totpURI);
    const enabled = await account("/two-factor/verify-totp", staff.cookie, {
      code: codeOf(secret),
    });
    const cookie = cookiesOf(enabled, staff.cookie);
    await age(staff.userId, "11 minutes");
    expect((await prove(cookie, { password })).status).toBe(422);
    expect((await prove(cookie, { password, code: "000000" })).status).toBe(422);
    const code = codeOf(secret, 1);
    expect((await prove(cookie, { password, code })).status).toBe(200);
    expect((await prove(cookie, { password, code })).status).toBe(422);
    const recovery = offer.backupCodes[0];
    expect((await prove(cookie, { password, recovery_code: recovery })).status).toBe(200);
    expect((await prove(cookie, { password, recovery_code: recovery })).status).toBe(422);
  });

  test("counts wrong codes per account, whatever session they come from", async () => {
    const person = await somePerson();
    const offer = (await (
      await account("/two-factor/enable", person.cookie, { password })
    ).json()) as { totpURI: string };
    const enabled = await account("/two-factor/verify-totp", person.cookie, {
      code: codeOf(secretOf(offer.totpURI)),
    });
    const cookie = cookiesOf(enabled, person.cookie);
    for (let i = 0; i < 10; i++)
      expect((await prove(cookie, { password, code: `00000${i}` })).status).toBe(422);
    const locked = await prove(cookie, { password, code: codeOf(secretOf(offer.totpURI), 1) });
    expect(locked.status).toBe(429);
    expect(locked.headers.has("retry-after")).toBe(true);
  });

  test("by passkey signs no one in, and only the person's own passkey counts", async () => {
    const device = newAuthenticator();
    const [own, stranger] = [await someStaff(), await someStaff()];
    const ask = async (path: string, cookie: string) => {
      const answer = await account(path, cookie);
      return {
        challenge: ((await answer.json()) as { challenge: string }).challenge,
        cookie: cookiesOf(answer, cookie),
      };
    };
    const begun = await ask("/passkey/generate-register-options?name=Laptop", own.cookie);
    await account("/passkey/verify-registration", begun.cookie, {
      response: device.register(begun.challenge),
      name: "Laptop",
    });
    await age(own.userId, "11 minutes");
    await age(stranger.userId, "11 minutes");
    const proveBy = async (cookie: string) => {
      const asked = await ask("/passkey/generate-authenticate-options", cookie);
      return prove(asked.cookie, { passkey: device.answer(asked.challenge) });
    };
    expect((await proveBy(stranger.cookie)).status).toBe(422);
    expect(await statusAndCode(await makeLiveKey(stranger))).toEqual(refused);
    const answer = await proveBy(own.cookie);
    expect(answer.status).toBe(200);
    expect(answer.headers.getSetCookie().join()).not.toContain("session_token");
    expect((await makeLiveKey(own)).status).toBe(200);
    expect(await db.$count(sessions, eq(sessions.userId, own.userId))).toBe(1);
    const log = await dataOf<{ data: AuditEntry[] }>(
      call(auditRoute.GET, "/audit-log", { headers: as(own) }),
    );
    expect(log.data.filter(({ action }) => action === "signed_in")).toEqual([]);
  });
});

/** Turns the second factor on; gives the cookie of the session from then on. */
async function withSecondFactor({ cookie }: { cookie: string }): Promise<string> {
  const begun = await account("/two-factor/enable", cookie, { password });
  const { totpURI } = (await begun.json()) as { totpURI: string };
  const code = codeOf(secretOf(totpURI));
  return cookiesOf(await account("/two-factor/verify-totp", cookie, { code }), cookie);
}

describe("a password that is given once more", () => {
  test("does not stand in for the second factor by becoming a new one", async () => {
    const staff = await someStaff();
    const cookie = await withSecondFactor(staff);
    await age(staff.userId, "11 minutes");
    const body = { currentPassword: password, newPassword: "a wholly new sentence" };
    const changed = await account("/change-password", cookie, body);
    expect(await statusAndCode(changed)).toEqual(refused);
    const now = { ...staff, cookie: cookiesOf(changed, cookie) };
    expect(await statusAndCode(await makeLiveKey(now))).toEqual(refused);
  });

  test("and is wrong counts for the session wherever it is given: ten end it, are audited, and lock no one out", async () => {
    const staff = await someStaff();
    const cookie = await withSecondFactor(staff);
    const wrong = "wrong horse battery";
    const tries: [string, Record<string, string>][] = [
      ["/change-password", { currentPassword: wrong, newPassword: "a wholly new sentence" }],
      ...["enable", "disable", "generate-backup-codes"].map(
        (name): [string, Record<string, string>] => [`/two-factor/${name}`, { password: wrong }],
      ),
    ];
    for (const [path, body] of [...tries, ...tries, ...tries.slice(0, 2)])
      expect([path, ...(await statusAndCode(await account(path, cookie, body)))]).toEqual([
        path,
        400,
        "INVALID_PASSWORD",
      ]);
    expect((await call(meRoute.GET, "/me", { headers: { cookie } })).status).toBe(401);
    expect((await signIn(staff.email)).status).toBe(200);
    const failed = and(
      eq(auditEntries.businessId, staff.businessId),
      eq(auditEntries.action, "reauthentication_failed"),
    );
    expect(await db.$count(auditEntries, failed)).toBe(10);
  });

  test("counts no more once it was right, and not at all in a call that is refused for something else", async () => {
    const { userId, cookie } = await somePerson();
    const [row] = await db.select().from(sessions).where(eq(sessions.userId, userId));
    const session = { userId, sessionId: row?.id ?? "" };
    for (let i = 0; i < 9; i++) await countPassword(session);
    for (let i = 0; i < 2; i++)
      expect(
        await statusAndCode(
          await account("/two-factor/generate-backup-codes", cookie, { password }),
        ),
      ).toEqual([400, "TWO_FACTOR_NOT_ENABLED"]);
    expect((await account("/two-factor/enable", cookie, { password })).status).toBe(200);
    for (let i = 0; i < 10; i++) expect((await countPassword(session)).allowed).toBe(true);
    const locked = await account("/two-factor/enable", cookie, { password });
    expect(locked.status).toBe(429);
  });
});

describe("notices", () => {
  const noticesTo = async (recipient: string) =>
    (await db.select().from(mails).where(eq(mails.recipient, recipient)))
      .filter(({ kind }) => kind === "account_notice")
      .map(({ subject, businessId }) => [subject, businessId]);

  test("every owner is mailed about a sensitive call, once, also one whom the call removes", async () => {
    const staff = await someStaff();
    const second = await somePerson();
    await addMember(staff.businessId, second.userId, "owner");
    expect((await makeLiveKey(staff)).status).toBe(200);
    for (const { email } of [staff, second])
      expect(await noticesTo(email)).toEqual([["A live API key was created", NO_BUSINESS]]);
    await dataOf(
      (async () => {
        const answer = await api("DELETE", `/team/members/${second.userId}`, {
          headers: { ...as(staff), origin: "http://localhost:3000" },
        });
        return new Response(answer.text, { status: answer.status });
      })(),
    );
    expect(await noticesTo(second.email)).toContainEqual(["A member was removed", NO_BUSINESS]);
  });

  test("a person is mailed about a change of how they sign in", async () => {
    const person = await somePerson();
    const offer = (await (
      await account("/two-factor/enable", person.cookie, { password })
    ).json()) as { totpURI: string };
    await account("/two-factor/verify-totp", person.cookie, {
      code: codeOf(secretOf(offer.totpURI)),
    });
    expect(await noticesTo(person.email)).toEqual([
      ["The second factor of your account was turned on", NO_BUSINESS],
    ]);
  });

  test("a refused call sends no mail", async () => {
    const staff = await someStaff();
    await age(staff.userId, "11 minutes");
    await makeLiveKey(staff);
    expect(await noticesTo(staff.email)).toEqual([]);
  });
});

describe("a session ends 30 days after its sign-in", () => {
  const isIn = async (cookie: string) =>
    (await call(meRoute.GET, "/me", { headers: { cookie } })).status === 200;

  test("however often it is used", async () => {
    const { userId, cookie } = await somePerson();
    await age(userId, "29 days 23 hours");
    expect(await isIn(cookie)).toBe(true);
    const [row] = await db.select().from(sessions).where(eq(sessions.userId, userId));
    const left = (row?.expiresAt.getTime() ?? 0) - (row?.createdAt.getTime() ?? 0);
    expect(left).toBeLessThanOrEqual(30 * 24 * 60 * 60 * 1000);
    await age(userId, "30 days 1 minute");
    expect(await isIn(cookie)).toBe(false);
    expect(await (await account("/get-session", cookie)).json()).toBeNull();
  });

  test("also where its row was written with a later end", async () => {
    const { userId, cookie } = await somePerson();
    await db
      .update(sessions)
      .set({
        createdAt: sql`now() - interval '400 days'`,
        expiresAt: sql`now() + interval '7 days'`,
      })
      .where(eq(sessions.userId, userId));
    expect(await isIn(cookie)).toBe(false);
  });
});

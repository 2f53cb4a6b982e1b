import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { sql } from "drizzle-orm";
import * as meRoute from "@/app/api/me/route";
import * as packagesRoute from "@/app/api/packages/route";
import { db, withTransaction } from "@/db/client";
import { placesIn } from "@/db/embedded/folder";
import { createBusiness } from "@/lib/domain/businesses/create";
import { systemCtx } from "@/lib/domain/context";
import { ERASED_EMAIL } from "@/lib/domain/payers/rules";
import { create as createLink } from "@/lib/domain/payment-links/create";
import { findLink } from "@/lib/domain/payment-links/rows";
import { env, provideEnv } from "@/lib/env";
import { commands } from "@/lib/operator/commands";
import { removeAddressFile, writeAddressFile } from "@/lib/supervisor/running";
import { signInRoute } from "@/lib/http/sign-in";
import { mailedToken } from "./office";
import { codeOf, secretOf } from "./totp";
import { call, cookiesOf, signIn, someEmail, somePerson } from "./person";

let said: string[];

beforeEach(() => {
  said = [];
  vi.spyOn(process.stdout, "write").mockImplementation((text) => said.push(String(text)) > 0);
  vi.spyOn(process.stderr, "write").mockImplementation(() => true);
});
afterEach(() => vi.restoreAllMocks());

/** Runs a command as `kutip.ts` does. Returns what it wrote and its exit code. */
async function kutip(name: string, ...args: string[]): Promise<{ out: string; code: unknown }> {
  said = [];
  const code = await (await commands[name]?.load())?.(args);
  return { out: said.join("").trim(), code };
}

async function someBusiness() {
  const email = someEmail();
  const { out } = await kutip(
    "business:create",
    "Some Shop",
    "--email",
    email,
    "--time-zone",
    "Asia/Kuala_Lumpur",
    "--currency",
    "MYR",
  );
  return JSON.parse(out) as { business_id: number; email: string; password: string };
}

test("a business is made with an owner who can sign in", async () => {
  const { email, password } = await someBusiness();
  expect((await signIn(email, { password })).status).toBe(200);
});

test("an owner whom a command made has a proven address", async () => {
  const { email, password } = await someBusiness();
  const cookie = cookiesOf(await signIn(email, { password }));
  const me = await (await call(meRoute.GET, "/me", { headers: { cookie } })).json();
  expect(me).toMatchObject({
    data: { user: { email_verified: true }, businesses: [{ role: "owner" }] },
  });
});

test("an account that never proved its address is reset before it owns a business, and is mailed a link", async () => {
  const stranger = await somePerson(false);
  const { out } = await kutip("business:create", "Big Corp", "--email", stranger.email);
  expect(JSON.parse(out)).toMatchObject({ account: "reset", email: stranger.email });
  expect(JSON.parse(out)).not.toHaveProperty("password");
  expect((await call(meRoute.GET, "/me", { headers: { cookie: stranger.cookie } })).status).toBe(
    401,
  );
  expect((await signIn(stranger.email)).status).toBe(401);
  const token = await mailedToken(stranger.email, "account_reset");
  const newPassword = "a wholly new sentence";
  await call(signInRoute, "/auth/reset-password", { method: "POST", body: { token, newPassword } });
  const cookie = cookiesOf(await signIn(stranger.email, { password: newPassword }));
  const me = await (await call(meRoute.GET, "/me", { headers: { cookie } })).json();
  expect(me).toMatchObject({ data: { businesses: [{ name: "Big Corp", role: "owner" }] } });
});

test("the link that follows comes also where a stranger has used up the limit of such mails", async () => {
  const { email } = await somePerson(false);
  for (let i = 0; i < 5; i++)
    await call(signInRoute, "/auth/request-password-reset", { method: "POST", body: { email } });
  await kutip("business:create", "Big Corp", "--email", email);
  const token = await mailedToken(email, "account_reset");
  const newPassword = "a wholly new sentence";
  const body = { token, newPassword };
  const answer = await call(signInRoute, "/auth/reset-password", { method: "POST", body });
  expect(answer.status).toBe(200);
  expect((await signIn(email, { password: newPassword })).status).toBe(200);
});

test("a payer is erased in one business or in all, and only with --yes", async () => {
  const email = someEmail();
  const [one, other] = [await someBusiness(), await someBusiness()];
  const links = await Promise.all(
    [one, other].map(async ({ business_id: businessId }) => {
      const ctx = systemCtx({ businessId, mode: "test" }, { kind: "operator" }, "operator-test");
      const input = { email, currency: "MYR", amount: 500, title: "Tea", send_email: false };
      return { ctx, id: (await createLink(ctx, input))._id };
    }),
  );
  const emails = () =>
    Promise.all(links.map(async ({ ctx, id }) => (await findLink(ctx, id))?.email));
  const shown = await kutip("payer:erase", email, "--all-businesses");
  expect(shown).toMatchObject({ code: 0, out: expect.stringContaining("Nothing was changed") });
  expect(await emails()).toEqual([email, email]);
  const first = await kutip("payer:erase", email, "--business", String(one.business_id), "--yes");
  expect(first).toMatchObject({ code: 0, out: expect.stringContaining("Backups and exports") });
  expect(await emails()).toEqual([ERASED_EMAIL, email]);
  expect((await kutip("payer:erase", email, "--all-businesses", "--yes")).code).toBe(0);
  expect(await emails()).toEqual([ERASED_EMAIL, ERASED_EMAIL]);
  for (const args of [[email], ["nobody", "--all-businesses"], [email, "--business", "x"]])
    await expect(kutip("payer:erase", ...args)).rejects.toThrow();
});

test("a known person becomes the owner of another business and keeps the password", async () => {
  const person = await somePerson();
  const { out } = await kutip("business:create", "Second Shop", "--email", person.email);
  expect(JSON.parse(out)).not.toHaveProperty("password");
});

test("a business with wrong values is refused by field", async () => {
  await expect(kutip("business:create", "Shop", "--email", "nobody")).rejects.toMatchObject({
    options: { errors: { email: [expect.any(String)] } },
  });
  const args = ["--email", someEmail(), "--time-zone", "AET"];
  await expect(kutip("business:create", "Shop", ...args)).rejects.toMatchObject({
    options: { errors: { time_zone: ["The selected time zone is invalid."] } },
  });
  await expect(kutip("business:create", "Shop")).rejects.toMatchObject({ name: "UsageError" });
});

test("the doctor names businesses with a time zone that the database lacks or reads as another", async () => {
  const [first, second] = [await someBusiness(), await someBusiness()];
  const move = (id: number, zone: string) =>
    db.execute(sql`update businesses set time_zone = ${zone} where id = ${id}`);
  await move(first.business_id, "AET");
  await move(second.business_id, "CET");
  const { out, code } = await kutip("doctor");
  for (const [zone, { business_id }] of [
    ["AET", first],
    ["CET", second],
  ] as const)
    expect(out).toMatch(
      new RegExp(`^bad  time zones: .* ${zone}, .* business ${business_id}$`, "m"),
    );
  expect(code).toBe(1);
  for (const { business_id } of [first, second]) await move(business_id, "UTC");
  expect((await kutip("doctor")).out).toMatch(/^ok {3}time zones: /m);
});

test("the doctor says when mails lie outside the tables of their months", async () => {
  expect((await kutip("doctor")).out).toMatch(/^ok {3}months: /m);
  const id = "f".repeat(24);
  await db.execute(
    sql`insert into mails (business_id, id, kind, cause, recipient, subject, html, text) values (0, ${id}, 'k', 'c', 'r', 's', '', '')`,
  );
  const { out, code } = await kutip("doctor");
  expect(out).toMatch(/^bad {2}months: mails of this month or later .* clocks of all servers/m);
  expect(code).toBe(1);
  await db.execute(sql`delete from mails where business_id = 0 and id = ${id}`);
});

test("the doctor says how many businesses it does not list for live mode", async () => {
  const listed = async () => {
    const { out } = await kutip("doctor");
    return {
      shown: out.match(/^ok {3}go live: business \d+ /gm)?.length ?? 0,
      others: Number(/^ok {3}go live: (\d+) more business/m.exec(out)?.[1] ?? 0),
    };
  };
  const before = await listed();
  for (let made = 0; made < 21; made++) await createBusiness({ name: "Branch" });
  expect(await listed()).toEqual({ shown: 20, others: before.shown + before.others + 1 });
});

test("a key is printed once, listed without itself, and refused after its end", async () => {
  const { business_id } = await someBusiness();
  const { out: key } = await kutip(
    "key:create",
    String(business_id),
    "--mode",
    "live",
    "--name",
    "Till",
  );
  const use = async () =>
    (await call(packagesRoute.GET, "/packages", { headers: { authorization: `Bearer ${key}` } }))
      .status;
  expect(await use()).toBe(200);
  const { out: list } = await kutip("key:list", String(business_id));
  expect(list).toContain("Till");
  expect(list).not.toContain(key);
  await kutip("key:revoke", String(business_id), list.split("  ")[0] ?? "");
  await expect.poll(use, { timeout: 60_000 }).toBe(401);
  await expect(kutip("key:list", "999999999")).rejects.toMatchObject({ name: "Refusal" });
});

test("a person's password is replaced and printed", async () => {
  const { email } = await somePerson();
  const { out } = await kutip("user:reset", email);
  expect(cookiesOf(await signIn(email, { password: out }))).toContain("kutip.session_token");
  await expect(kutip("user:reset", someEmail())).rejects.toMatchObject({ name: "Refusal" });
});

test("a password is kept where the person cannot be mailed about its end", async () => {
  const { email } = await somePerson();
  await db.execute(
    sql.raw(`create function unmailed() returns trigger language plpgsql as
        $$ begin raise exception 'no mail'; end $$;
      create trigger unmailed before insert on mails for each row
        when (new.recipient = '${email}') execute function unmailed()`),
  );
  await expect(kutip("user:reset", email)).rejects.toThrow();
  expect((await signIn(email)).status).toBe(200);
});

test("a lost second factor is reset by command, and the person is mailed", async () => {
  const { email, cookie } = await somePerson();
  const body = { password: "correct horse battery" };
  const enabled = await call(signInRoute, "/auth/two-factor/enable", {
    method: "POST",
    body,
    headers: { cookie },
  });
  const { totpURI } = (await enabled.json()) as { totpURI: string };
  await call(signInRoute, "/auth/two-factor/verify-totp", {
    method: "POST",
    body: { code: codeOf(secretOf(totpURI)) },
    headers: { cookie },
  });
  const { out: kept } = await kutip("user:reset", email);
  expect(await (await signIn(email, { password: kept })).json()).toMatchObject({
    twoFactorRedirect: true,
  });
  const { out } = await kutip("user:reset", email, "--second-factor");
  expect(cookiesOf(await signIn(email, { password: out }))).toContain("kutip.session_token");
  const { out: list } = await kutip("mail:list", "--limit", "1000");
  expect(list.split("\n").filter((line) => line.includes(email)).length).toBeGreaterThanOrEqual(2);
});

test("account mails are listed and shown to the operator", async () => {
  const email = someEmail();
  const { out: address } = await kutip("user:invite", email);
  const { out } = await kutip("mail:list", "--limit", "1000");
  const line = out.split("\n").find((one) => one.includes(email));
  expect(line).toContain("account_invitation");
  expect((await kutip("mail:show", line?.split("  ")[0] ?? "")).out).toContain(address);
});

test("the audit log's check says where a chain breaks, by its exit code too", async () => {
  const { business_id } = await someBusiness();
  await kutip("key:create", String(business_id));
  const { rows } = await db.execute<{ hash: string }>(
    sql`select hash from audit_heads where business_id = ${business_id}`,
  );
  const line = `ok   business ${business_id}: 2 entries, the newest is ${rows[0]?.hash}`;
  const verified = (await kutip("audit:verify")).out;
  expect(verified).toContain(line);
  expect(verified).not.toContain("not sealed");
  await db.execute(sql`update audit_heads set seal = null where business_id = ${business_id}`);
  expect((await kutip("audit:verify")).out).toContain("the newest entry is not sealed yet: 1.");
  await withTransaction(async (tx) => {
    await tx.execute(sql`alter table audit_entries disable trigger audit_entries_append_only`);
    await tx.execute(
      sql`update audit_entries set object_id = 'another' where business_id = ${business_id} and seq = 2`,
    );
    await tx.execute(sql`alter table audit_entries enable trigger audit_entries_append_only`);
  });
  const { out, code } = await kutip("audit:verify");
  expect(out).toContain(`bad  business ${business_id}: entry 2`);
  expect(code).toBe(1);
});

describe("the address that the operator is shown", () => {
  const before = { BASE_URL: env.BASE_URL, PORT: "", KUTIP_DATA_DIR: env.KUTIP_DATA_DIR ?? "" };
  const folder = mkdtempSync(path.join(os.tmpdir(), "kutip-operator-"));
  const { running } = placesIn(folder);
  beforeEach(() => provideEnv({ BASE_URL: "", PORT: "", KUTIP_DATA_DIR: folder }));
  afterEach(() => {
    provideEnv(before);
    rmSync(running, { force: true });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** What two commands say: where callbacks are to go, and where the doctor looks for the server. */
  async function told(): Promise<string[]> {
    const { business_id } = await someBusiness();
    const { out } = await kutip(
      "gateway:list",
      "--business",
      String(business_id),
      "--mode",
      "test",
      "--json",
    );
    const [{ callback_url }] = JSON.parse(out) as [{ callback_url: string }];
    return [
      new URL(callback_url).origin,
      /none answers at (\S+)/.exec((await kutip("doctor")).out)?.[1] ?? "",
    ];
  }

  test("is the running install's, whatever port that was started on, in a file that only its owner reads", async () => {
    writeAddressFile(running, "http://localhost:1");
    expect(statSync(running).mode & 0o777).toBe(0o600);
    expect(await told()).toEqual(["http://localhost:1", "http://localhost:1"]);
  });

  test.each([{ BASE_URL: "http://localhost:2" }, { PORT: "2" }])(
    "is what the command itself is given: %o",
    async (given) => {
      writeAddressFile(running, "http://localhost:1");
      provideEnv(given);
      expect(await told()).toEqual(["http://localhost:2", "http://localhost:2"]);
    },
  );

  test.each(["", "{", "null", '{"base_url":3000}', '{"base_url":"nowhere"}'])(
    "is the usual one when nothing usable is written down: %j",
    async (text) => {
      writeFileSync(running, text);
      const { business_id } = await someBusiness();
      expect(
        (await kutip("gateway:list", "--business", String(business_id), "--mode", "test", "--json"))
          .out,
      ).toContain('"http://localhost:3000/api/gateways/');
    },
  );

  test("is forgotten when the install stops, but not when another start has written its own", () => {
    writeAddressFile(running, "http://localhost:1");
    writeAddressFile(running, "http://localhost:2");
    removeAddressFile(running, "http://localhost:1");
    expect(statSync(running).isFile()).toBe(true);
    removeAddressFile(running, "http://localhost:2");
    expect(() => statSync(running)).toThrow();
  });
});

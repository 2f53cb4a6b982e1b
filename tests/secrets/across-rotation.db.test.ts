import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import * as meRoute from "@/app/api/me/route";
import { db } from "@/db/client";
import { verifyAudit } from "@/lib/domain/audit/verify";
import { isSignature, signature } from "@/lib/kernel/secrets";
import { checkSecret } from "@/lib/supervisor/secret";
import { newOffice, staffCall } from "../dashboard/setting";
import { call, cookiesOf, signIn, somePerson } from "../staff/person";
import { codeOf } from "../staff/totp";
import { post, restartedWith, rotate, rotationEach, secrets, withApp } from "./rotation-setting";

rotationEach();

test("the audit chains hold, with their own key and with one from before keys were kept", async () => {
  await db.execute(sql`delete from audit_keys`);
  const office = await newOffice();
  await staffCall(office, "POST", "/api-keys", { name: "One" });
  await checkSecret("a test");
  await staffCall(office, "POST", "/api-keys", { name: "Two" });
  const faults = async () => (await verifyAudit()).map(({ fault }) => fault);
  expect(await faults()).toEqual([null]);
  await rotate();
  await restartedWith(secrets.second);
  await staffCall(office, "POST", "/api-keys", { name: "Three" });
  expect(await verifyAudit()).toMatchObject([{ fault: null }]);
  await db.execute(sql`alter table audit_entries disable trigger all`);
  await db.execute(sql`update audit_entries set action = 'other' where seq = 1`);
  expect(await faults()).toEqual([expect.stringMatching(/was changed/)]);
});

test("sessions go on, also when the old secret is gone, and are renewed under the new one", async () => {
  const { cookie } = await somePerson();
  await rotate();
  await restartedWith(secrets.second);
  expect((await call(meRoute.GET, "/me", { headers: { cookie } })).status).toBe(200);
  const out = await post("/sign-out", cookie);
  expect(out.status).toBe(200);
  expect((await call(meRoute.GET, "/me", { headers: { cookie } })).status).toBe(401);
});

test("a sign-in between password and code goes on while the old secret is known", async () => {
  const { email, secret } = await withApp();
  const half = cookiesOf(await signIn(email));
  await rotate();
  expect((await post("/two-factor/verify-totp", half, { code: codeOf(secret) })).status).toBe(200);
});

test("a sign-in between password and code ends with the old secret, and passes as nothing else", async () => {
  const { email, secret } = await withApp();
  const half = cookiesOf(await signIn(email));
  const verify = async (cookie: string) =>
    (await post("/two-factor/verify-totp", cookie, { code: codeOf(secret) })).status;
  await restartedWith(secrets.second, secrets.first);
  const [, value = ""] = /two_factor=([^;]+)/.exec(half) ?? [];
  for (const forged of [
    half.replace(value, value.slice(0, -8)),
    half.replace(value, `x${value}`),
    half.replace("two_factor", "better-auth-passkey"),
  ])
    expect(await verify(forged)).toBe(401);
  const swapped = half.replace("two_factor", "session_token");
  expect((await call(meRoute.GET, "/me", { headers: { cookie: swapped } })).status).toBe(401);
  expect(await verify(swapped)).toBe(401);
  await rotate();
  await restartedWith(secrets.second);
  expect(await verify(half)).toBe(401);
  expect(await verify(cookiesOf(await signIn(email)))).toBe(200);
});

test("authenticator apps and recovery codes work with the new secret alone, also those from before values named their secret", async () => {
  const { email, secret, backupCodes } = await withApp();
  await db.execute(
    sql`update auth_two_factors set secret = regexp_replace(secret, '^\\$ba\\$\\d+\\$', ''), backup_codes = regexp_replace(backup_codes, '^\\$ba\\$\\d+\\$', '')`,
  );
  await restartedWith(secrets.second, secrets.first);
  const early = cookiesOf(await signIn(email));
  expect(
    (await post("/two-factor/verify-backup-code", early, { code: backupCodes[0] })).status,
  ).toBe(200);
  await rotate();
  await restartedWith(secrets.second);
  const half = cookiesOf(await signIn(email));
  expect((await post("/two-factor/verify-totp", half, { code: codeOf(secret) })).status).toBe(200);
  const other = cookiesOf(await signIn(email));
  expect(
    (await post("/two-factor/verify-backup-code", other, { code: backupCodes[1] })).status,
  ).toBe(200);
});

test("what the old secret signed is accepted while it is known, and no longer", async () => {
  const mark = signature("a page", "cursor");
  await rotate();
  expect(isSignature(mark, "a page", "cursor")).toBe(true);
  expect(signature("a page", "cursor")).not.toBe(mark);
  await restartedWith(secrets.second);
  expect(isSignature(mark, "a page", "cursor")).toBe(false);
});

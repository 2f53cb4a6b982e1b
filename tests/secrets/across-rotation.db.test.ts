import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { GET as receiptPage } from "@/app/(payer)/receipt/[receipt]/route";
import * as meRoute from "@/app/api/me/route";
import { readSecretState } from "@/db/active-secret";
import { db } from "@/db/client";
import type { Mail, MailWithContent } from "@/lib/contract/mails";
import { verifyAudit } from "@/lib/domain/audit/verify";
import { isSignature, signature } from "@/lib/kernel/secrets";
import { checkSecret } from "@/lib/supervisor/secret";
import { data, mailed, newLink, newOffice, pay, staffCall } from "../dashboard/setting";
import { call, cookiesOf, signIn, somePerson } from "../staff/person";
import { codeOf } from "../staff/totp";
import {
  columnsWith,
  post,
  restartedWith,
  rotate,
  rotationEach,
  secrets,
  withApp,
} from "./rotation-setting";

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

test("a rotation is refused in a database that a later version has changed, and nothing is sealed anew", async () => {
  await newOffice();
  const journal = sql.raw("drizzle.__drizzle_migrations");
  await db.execute(sql`insert into ${journal} (hash, created_at) values ('later', 9999999999999)`);
  await expect(rotate()).rejects.toMatchObject({
    name: "Refusal",
    message: expect.stringContaining("run this command with the later version"),
  });
  expect(await readSecretState()).toMatchObject({ rotation: undefined });
  expect(await columnsWith(secrets.second)).toEqual([]);
  await db.execute(sql`delete from ${journal} where hash = 'later'`);
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
  expect((await post("/two-factor/verify-totp", half, { code: codeOf(secret, 1) })).status).toBe(
    200,
  );
});

test("a sign-in between password and code ends with the old secret, and passes as nothing else", async () => {
  const { email, secret } = await withApp();
  const half = cookiesOf(await signIn(email));
  const verify = async (cookie: string) =>
    (await post("/two-factor/verify-totp", cookie, { code: codeOf(secret, 1) })).status;
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
  expect((await post("/two-factor/verify-totp", half, { code: codeOf(secret, 1) })).status).toBe(
    200,
  );
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

const receiptAt = (address: string) =>
  receiptPage(new Request(address), {
    params: Promise.resolve({ receipt: address.split("/").at(-1) ?? "" }),
  });

/** A payment with a receipt, and the address of the receipt in its mail. */
async function mailedReceipt(): Promise<{ id: string; address: string }> {
  const office = await newOffice();
  const link = await newLink(office, { send_email: true });
  await pay(office, link);
  await mailed(link, 2);
  const [mail] = data<{ data: Mail[] }>(await staffCall(office, "GET", "/mails?kind=receipt")).data;
  const { text } = data<MailWithContent>(await staffCall(office, "GET", `/mails/${mail?._id}`));
  const [address = "", id = ""] = /https?:\S+\/receipt\/(\w+)-\S+/.exec(text) ?? [];
  return { id, address };
}

test("the address of a receipt that was mailed opens it with the new secret alone", async () => {
  const { address } = await mailedReceipt();
  await rotate();
  await restartedWith(secrets.second);
  expect((await receiptAt(address)).status).toBe(200);
});

test("a receipt's address that the secret itself signed opens while the secret is known, and no longer", async () => {
  const { id, address } = await mailedReceipt();
  const mark = signature(`payer ${id}`, "receipt").slice(0, 24);
  const former = address.replace(/-[\w-]+$/, `-${mark}`);
  await rotate();
  expect((await receiptAt(former)).status).toBe(200);
  await restartedWith(secrets.second);
  expect((await receiptAt(former)).status).toBe(404);
});

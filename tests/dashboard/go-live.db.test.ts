import { afterAll, afterEach, expect, test } from "vitest";
import { closePool, db, pool } from "@/db/client";
import type { GoLive } from "@/lib/contract/overview";
import { insertConnection } from "@/lib/domain/gateway-connections/rows";
import { provideEnv } from "@/lib/env";
import { newId, newToken } from "@/lib/kernel/ids";
import { seal } from "@/lib/kernel/secrets";
import { data, member, newOffice, type Office, staffCall } from "./setting";

afterEach(() => provideEnv({ SMTP_URL: "" }));
afterAll(closePool);

const goLive = async (office: Office) => data<GoLive>(await staffCall(office, "GET", "/go-live"));
const done = ({ steps }: GoLive) => steps.filter((one) => one.done).map(({ step }) => step);
const stepOf = ({ steps }: GoLive, name: string) => steps.find(({ step }) => step === name);
const sendTestMail = (office: Office, headers = office.headers) =>
  staffCall(office, "POST", "/go-live/test-mail", undefined, headers);
const mailBecame = (office: Office, status: string, error: string | null) =>
  pool().query("update mails set status = $2, error = $3 where object_id = $1", [
    `test:${office.businessId}`,
    status,
    error,
  ]);
const liveConnection = async (office: Office, checked: boolean) => {
  const id = newToken().slice(0, 32);
  await insertConnection(db, {
    businessId: office.businessId,
    mode: "live",
    id,
    gateway: "stripe",
    secret: seal("sk_live_x", "gateway"),
    accountName: "Tide & Co",
  });
  if (checked)
    await pool().query("update gateway_connections set checked_at = now() where id = $1", [id]);
  return id;
};
const livePayment = (office: Office, succeeded: boolean, gateway = "stripe") =>
  pool().query(
    `insert into payments (business_id, mode, id, status, amount, currency, title, gateway, succeeded_at, method)
     values ($1, 'live', $2, $3, 1000, 'MYR', 'Any', $4, $5, $6)`,
    [
      office.businessId,
      newId(),
      succeeded ? "succeeded" : "failed",
      gateway,
      succeeded ? new Date() : null,
      gateway === "manual" ? "cash" : null,
    ],
  );

test("each step is what the records say, and records of test mode or of another business do nothing", async () => {
  provideEnv({ SMTP_URL: "smtp://localhost:1" });
  const [office, other] = [await newOffice(), await newOffice()];
  await pool().query("update businesses set time_zone = 'UTC' where id = $1", [office.businessId]);
  await pool().query(
    "update api_keys set revoked_at = now() where business_id = $1 and mode = 'live'",
    [office.businessId],
  );
  await pool().query("update businesses set accent = '#112233' where id = $1", [other.businessId]);
  await liveConnection(other, true);
  await livePayment(other, true);
  await sendTestMail(other);
  await mailBecame(other, "sent", null);
  expect(done(await goLive(office))).toEqual([]);

  const connection = await liveConnection(office, false);
  expect(stepOf(await goLive(office), "gateway")).toMatchObject({
    done: false,
    note: "Stripe has not accepted the key yet.",
  });
  await pool().query("update gateway_connections set checked_at = now() where id = $1", [
    connection,
  ]);
  await livePayment(office, false);
  expect(done(await goLive(office))).toEqual(["gateway"]);
  await pool().query("update businesses set time_zone = 'Asia/Kuala_Lumpur' where id = $1", [
    office.businessId,
  ]);
  await pool().query("update businesses set support_email = 'a@example.com' where id = $1", [
    office.businessId,
  ]);
  expect(done(await goLive(office))).toEqual(["gateway", "brand", "time_zone"]);
  data(
    await staffCall(
      office,
      "POST",
      "/api-keys",
      { name: "Shop" },
      {
        ...office.headers,
        "x-kutip-mode": "live",
      },
    ),
  );
  await livePayment(office, true);
  await sendTestMail(office);
  await mailBecame(office, "sent", null);
  const all = await goLive(office);
  expect([all.done, stepOf(all, "mail")]).toMatchObject([
    true,
    { note: `The mail server accepted a mail to ${office.email}.` },
  ]);
  // Staff take payments without a program.
  await pool().query(
    "update api_keys set revoked_at = now() where business_id = $1 and mode = 'live'",
    [office.businessId],
  );
  const without = await goLive(office);
  expect([without.done, stepOf(without, "live_key")]).toMatchObject([
    true,
    { done: false, optional: true },
  ]);
  await pool().query("update gateway_connections set revoked_at = now() where id = $1", [
    connection,
  ]);
  expect((await goLive(office)).done).toBe(false);
});

test("money that was recorded by hand in live mode is no first real payment", async () => {
  const office = await newOffice();
  await livePayment(office, true, "manual");
  expect(stepOf(await goLive(office), "live_payment")).toMatchObject({ done: false, at: null });
  await livePayment(office, true);
  expect(stepOf(await goLive(office), "live_payment")).toMatchObject({ done: true });
});

test("saving the settings checks the time zone of a business in UTC, also when nothing was changed", async () => {
  const [office, other] = [await newOffice(), await newOffice()];
  await pool().query("update businesses set time_zone = 'UTC' where id = any($1)", [
    [office.businessId, other.businessId],
  ]);
  const zoneStep = async (of: Office) => stepOf(await goLive(of), "time_zone");
  expect(await zoneStep(office)).toMatchObject({ done: false });
  const { name, default_currency, version } = data(await staffCall(office, "GET", "/business"));
  const unchanged = { name, time_zone: "UTC", default_currency };
  expect(data(await staffCall(office, "PUT", "/business", unchanged))).toMatchObject({ version });
  expect(await zoneStep(office)).toMatchObject({ done: true, note: "Days are counted in UTC." });
  expect(await zoneStep(other)).toMatchObject({ done: false });
});

test("a test mail goes to the caller alone, and its outcome is told as the mail server gave it", async () => {
  const office = await newOffice();
  expect(stepOf(await goLive(office), "mail")?.note).toBe("This install has no mail server.");
  expect((await sendTestMail(office)).status).toBe(409);
  provideEnv({ SMTP_URL: "smtp://localhost:1" });
  expect(stepOf(await goLive(office), "mail")?.note).toBe("No test mail has been sent.");
  expect(data(await sendTestMail(office))).toEqual({ recipient: office.email });
  const waiting = stepOf(await goLive(office), "mail");
  expect(waiting).toMatchObject({
    done: false,
    note: `The test mail to ${office.email} has not been accepted yet.`,
  });
  await mailBecame(office, "failed", "550 No such user");
  expect(stepOf(await goLive(office), "mail")).toMatchObject({
    done: false,
    note: `The test mail to ${office.email} was not accepted. 550 No such user`,
  });
  await mailBecame(office, "unknown", "The connection ended.");
  expect(stepOf(await goLive(office), "mail")).toMatchObject({
    done: false,
    note: `The mail server gave no definite answer, so the test mail to ${office.email} may or may not have arrived. The connection ended.`,
  });
  for (const role of ["staff", "viewer"] as const)
    expect((await sendTestMail(office, await member(office, role))).status).toBe(403);
});

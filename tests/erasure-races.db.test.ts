import { eq, sql } from "drizzle-orm";
import { afterAll, describe, expect, test } from "vitest";
import { closePool, db, withTransaction } from "@/db/client";
import { mails } from "@/db/schema/mails";
import { record } from "@/lib/domain/audit/record";
import { verifyAudit } from "@/lib/domain/audit/verify";
import { create as createPackage } from "@/lib/domain/packages/create";
import { revoke } from "@/lib/domain/tokenizations/revoke";
import { find as findToken } from "@/lib/domain/tokenizations/rows";
import { referenceOf, returnProof } from "@/lib/domain/tokenizations/rules";
import { lookUp, reconcileReference } from "@/lib/flows/activation/reconcile";
import { returnFrom } from "@/lib/flows/activation/return";
import { begin } from "@/lib/flows/activation/steps";
import { erasePayer } from "@/lib/flows/erasure/steps";
import { mailComposition } from "@/lib/flows/mailing/job";
import { sendMail } from "@/lib/flows/mailing/steps";
import { press as approve } from "@/lib/gateways/simulator/bank";
import { script } from "@/lib/gateways/simulator/scripting";
import type { MailTransport } from "@/lib/mail/transport";
import { data, keyCall, mailed, newLink, newOffice, pay, staffCall } from "./dashboard/setting";
import { eventsAbout } from "@/lib/domain/events/rows";
import { columnsWith, erasing, unnamed, waitingForLocks } from "./erasure-setting";
import { furnished, payer } from "./furnished-payer";
import { runAll } from "./run-once";

afterAll(closePool);

const faultOf = async (businessId: number) =>
  (await verifyAudit()).find((one) => one.businessId === businessId)?.fault;

/** A payer has a page to save a method, and does nothing there yet. */
async function pageOpened() {
  const office = await newOffice();
  const email = payer();
  const { ctx, account } = office.shop;
  const { _id: id, token } = data<{ _id: string; token: string }>(
    await keyCall(office, "POST", "/tokenizations/create-token", {
      email,
      title: "Card",
      description: "The monthly fee",
    }),
  );
  const begun = await begin(token, "test");
  if (begun.kind !== "redirect") throw new Error(begun.kind);
  // The simulator keeps a forgotten method without its card.
  const saved = async () => {
    const { rows } = await db.execute(
      sql`select from simulator.methods where connection_id = ${account.connection.id} and last4 <> '0000'`,
    );
    return rows.length;
  };
  return {
    ...{ office, ctx, email, id, saved },
    press: () => approve(begun.url.split("/").at(-1) ?? "", "approve", 1),
    saveAgain: async () => {
      const next = await begin(token, "test");
      if (next.kind !== "redirect") throw new Error(next.kind);
      await approve(next.url.split("/").at(-1) ?? "", "approve", 1);
    },
    staysOpen: () => script(account.connection.id, "cancel", "error"),
    look: async () => {
      const row = await findToken(ctx, id);
      return row && lookUp(ctx, row);
    },
    age: (minutes: number) =>
      db.execute(
        sql`update tokenizations set attempt_at = (select attempt_at - make_interval(mins => ${minutes})) where id = ${id}`,
      ),
    report: () => reconcileReference(ctx, account.connection.id, referenceOf(id, 1)),
    comeBack: () => returnFrom(id, "1", returnProof(id, 1), "test"),
    failsToForget: () => script(account.connection.id, "forget", "error"),
    /** Gives no definite answer to the next question about the page, nor closes it. */
    silent: async () => {
      for (const verb of ["cancel", "find"] as const)
        await script(account.connection.id, verb, "error");
    },
  };
}

/** A payer has saved a method at the gateway, and Kutip has not asked about it yet. */
async function savedUnseen() {
  const opened = await pageOpened();
  await opened.press();
  expect(await opened.saved()).toBe(1);
  return opened;
}

test.each(["still pending", "revoked under its payer"])(
  "a method that was saved a moment before, with a token %s, is forgotten at the gateway",
  async (state) => {
    const { office, ctx, email, id, saved, look } = await savedUnseen();
    if (state !== "still pending") {
      await revoke(ctx, id);
      expect((await look())?.status).toBe("revoked");
      const charge = { amount: 500, currency: "MYR", title: "Late" };
      expect((await keyCall(office, "POST", `/tokenizations/${id}/charge`, charge)).status).toBe(
        409,
      );
    }
    expect(await erasePayer(ctx, email)).toMatchObject({ kept_at_gateway: [] });
    expect(await saved()).toBe(0);
  },
);

describe("a page to save a method, of which the gateway says nothing,", () => {
  test("stops the erasure, also when its time is over, until the gateway speaks", async () => {
    const { ctx, email, saved, age, silent } = await savedUnseen();
    await age(31);
    await silent();
    await expect(erasePayer(ctx, email)).rejects.toMatchObject({ status: 409 });
    expect(await saved()).toBe(1);
    expect(await erasePayer(ctx, email)).toMatchObject({ kept_at_gateway: [] });
    expect(await saved()).toBe(0);
  });

  test("is asked about once more when it ended without an answer", async () => {
    const { ctx, email, id, saved, look, age, silent } = await savedUnseen();
    await revoke(ctx, id);
    await age(24 * 60);
    await silent();
    expect(await look()).toMatchObject({ attemptAt: null, methodId: null });
    expect(await erasePayer(ctx, email)).toMatchObject({ kept_at_gateway: [] });
    expect(await saved()).toBe(0);
  });

  test.each([["for a day"], ["because it was disconnected"]])(
    "%s: the result names what may be kept there",
    async (why) => {
      const { ctx, email, id, saved, age, silent } = await savedUnseen();
      if (why === "for a day") {
        await age(24 * 60);
        await silent();
      } else
        await db.execute(
          sql`update gateway_connections set secret = null, revoked_at = now() where business_id = ${ctx.businessId}`,
        );
      expect(await erasePayer(ctx, email)).toMatchObject({
        kept_at_gateway: [
          { tokenization_id: id, reason: expect.stringContaining("has not said whether") },
        ],
      });
      expect(await saved()).toBe(1);
      expect(unnamed(await columnsWith(email))).toEqual([]);
    },
  );
});

describe("the record of an erased payer", () => {
  test.each(["comeBack", "report"] as const)(
    "gets no method back after it was forgotten: %s",
    async (way) => {
      const after = await savedUnseen();
      const { ctx, email, id, saved } = after;
      expect(await erasePayer(ctx, email)).toMatchObject({ kept_at_gateway: [] });
      await after[way]();
      expect(await findToken(ctx, id)).toMatchObject({ status: "revoked", methodId: null });
      // At some gateways a forgotten method cannot be looked up: that is no failure.
      await after.silent();
      await after[way]();
      expect(await saved()).toBe(0);
    },
  );

  test.each(["comeBack", "report"] as const)(
    "gets no method of a page without an answer, which the gateway forgets at last: %s",
    async (way) => {
      const after = await savedUnseen();
      const { ctx, email, id, saved, age, silent } = after;
      await age(24 * 60);
      await silent();
      expect((await erasePayer(ctx, email)).kept_at_gateway).toHaveLength(1);
      if (way === "report") {
        // What the gateway does not confirm is tried again.
        await silent();
        await expect(after.report()).rejects.toThrow();
        await after.failsToForget();
        await expect(after.report()).rejects.toThrow();
      }
      expect(await saved()).toBe(1);
      await after[way]();
      expect(await saved()).toBe(0);
      expect(await findToken(ctx, id)).toMatchObject({ methodId: null, attemptGatewayId: null });
    },
  );
});

test("a method that an earlier page without an answer saved is forgotten when the gateway reports it after the erasure", async () => {
  const { ctx, email, saved, saveAgain, look, age, silent, report } = await savedUnseen();
  await age(31);
  await silent();
  await saveAgain();
  expect(await look()).toMatchObject({ status: "active", attempt: 2 });
  await erasePayer(ctx, email);
  expect(await saved()).toBe(1);
  await report();
  expect(await saved()).toBe(0);
});

test("a method that the gateway reports after it was asked stops the erasure, and is forgotten by the next one", async () => {
  const { office, ctx, email, id, saved, age, silent, report } = await savedUnseen();
  const { _id: packageId } = await createPackage(ctx, {
    name: "Club",
    amount: 1_250,
    currency: "MYR",
    frequency: "yearly",
    date_charge_start: "2999-01-31",
  });
  const { _id: over } = data<{ _id: string }>(
    await keyCall(office, "POST", "/subscriptions", { package_id: packageId, email }),
  );
  data(await keyCall(office, "PUT", `/subscriptions/${over}`, { status: "cancel" }));
  await age(24 * 60);
  await silent();
  let release = () => {};
  const until = new Promise<void>((resolve) => (release = resolve));
  const holding = withTransaction(async (tx) => {
    await tx.execute(sql`select from subscriptions where id = ${over} for update`);
    await until;
  });
  const erased = erasePayer(ctx, email).catch((error: unknown) => error);
  await expect.poll(waitingForLocks).toBeGreaterThan(0);
  await report();
  release();
  await holding;
  expect(await erased).toMatchObject({ status: 409 });
  expect(await findToken(ctx, id)).toMatchObject({ email, methodId: expect.any(String) });
  expect(await erasePayer(ctx, email)).toMatchObject({ kept_at_gateway: [] });
  expect(await saved()).toBe(0);
});

test("a page that the gateway does not close stops the erasure for a day, and is then named", async () => {
  const { ctx, email, id, saved, age, press, report, staysOpen } = await pageOpened();
  const erase = async () => {
    await staysOpen();
    return erasePayer(ctx, email);
  };
  await expect(erase()).rejects.toMatchObject({ status: 409 });
  await age(24 * 60);
  expect(await erase()).toMatchObject({
    kept_at_gateway: [{ tokenization_id: id, reason: expect.stringContaining("is closed") }],
  });
  await press();
  expect(await saved()).toBe(1);
  await report();
  expect(await saved()).toBe(0);
});

test("a mail that is composed while its payer is erased is left out", async () => {
  const office = await newOffice();
  const email = payer();
  const link = await newLink(office, { email });
  await pay(office, link);
  const { commit, done } = await erasing(office.businessId, email);
  const composed = runAll(mailComposition, office.businessId);
  await expect.poll(waitingForLocks).toBeGreaterThan(0);
  commit();
  await Promise.all([done, composed]);
  expect(unnamed(await columnsWith(email))).toEqual([]);
});

test("a mail that was claimed before its payer was erased is kept", async () => {
  const office = await newOffice();
  const link = await newLink(office, { email: office.email });
  await pay(office, link);
  await mailed(link, 1);
  const [queued] = await db.select().from(mails).where(eq(mails.objectId, link));
  await erasePayer(office.shop.ctx, office.email);
  if (!queued) throw new Error("no mail");
  const sent: string[] = [];
  const transport: MailTransport = {
    send: async ({ subject }) => {
      sent.push(subject);
      return { kind: "sent" };
    },
    close: () => undefined,
  };
  await sendMail(transport, queued);
  expect(sent).toEqual([]);
});

test("two erasures of one payer at the same moment both end", async () => {
  const office = await newOffice();
  const email = payer();
  const { ctx } = office.shop;
  for (let round = 0; round < 3; round++)
    await withTransaction((tx) =>
      record(tx, ctx.businessId, { kind: "operator" }, { action: "old", details: { for: email } }),
    );
  await Promise.all([erasePayer(ctx, email), erasePayer(ctx, email)]);
  expect(unnamed(await columnsWith(email))).toEqual([]);
  expect(await faultOf(ctx.businessId)).toBeNull();
});

test("a link that is created for the payer meanwhile keeps its own key and its mail: its event stays readable", async () => {
  const office = await newOffice();
  const [email, other] = [payer(), payer()];
  await newLink(office, { email });
  // The newest key is taken, and those of one second have no order.
  await db.execute(
    sql`update payer_keys set id = overlay(id placing '0' from 1) where business_id = ${office.businessId}`,
  );
  const held = await newLink(office, { email: other, title: `For ${email}`.slice(0, 50) });
  let release = () => {};
  const until = new Promise<void>((resolve) => (release = resolve));
  const holding = withTransaction(async (tx) => {
    await tx.execute(sql`select from payment_links where id = ${held} for update`);
    await until;
  });
  const erased = erasePayer(office.shop.ctx, email);
  await expect.poll(waitingForLocks).toBeGreaterThan(0);
  const made = await newLink(office, { email, send_email: true });
  await mailed(made, 1);
  release();
  await Promise.all([holding, erased]);
  const [mail] = await db.select().from(mails).where(eq(mails.objectId, made));
  expect(mail).toMatchObject({ recipient: email, status: "queued" });
  const asked = (await staffCall(office, "GET", `/mails/${mail?.id}`)).text;
  expect(asked).toContain("asks you to pay");
  const [event] = await eventsAbout(office.shop.ctx, made);
  expect(event?.data).toMatchObject({ email });
});

test("a link that is deleted and a method that is revoked between the look and the step are passed over", async () => {
  const office = await newOffice();
  const email = payer();
  const its = await furnished(office, email);
  let release = () => {};
  const until = new Promise<void>((resolve) => (release = resolve));
  const holding = withTransaction(async (tx) => {
    await tx.execute(sql`select from subscriptions where id = ${its.subscriptionId} for update`);
    await until;
  });
  const erased = staffCall(office, "POST", "/payers/erase", { email });
  await expect.poll(waitingForLocks).toBeGreaterThan(0);
  data(await keyCall(office, "DELETE", `/payment-links/${its.open}`));
  data(await keyCall(office, "DELETE", `/tokenizations/${its.methodId}`));
  release();
  await holding;
  expect(await erased).toMatchObject({ status: 200, body: { data: { kept_at_gateway: [] } } });
  expect(unnamed(await columnsWith(email))).toEqual([]);
});

test("others write into the audit log while an erasure looks through the events", async () => {
  const office = await newOffice();
  const email = payer();
  const named = await newLink(office, { email: payer(), title: `For ${email}`.slice(0, 50) });
  await newLink(office, { email });
  let release = () => {};
  const until = new Promise<void>((resolve) => (release = resolve));
  const holding = withTransaction(async (tx) => {
    await tx.execute(sql`select from events where object_id = ${named} for update`);
    await until;
  });
  const erased = erasePayer(office.shop.ctx, email);
  await expect.poll(waitingForLocks).toBeGreaterThan(0);
  const log = "/audit-log";
  const before = (await staffCall(office, "GET", log)).text;
  const saved = await staffCall(office, "POST", "/webhook-endpoints", {
    url: "https://example.com/hook",
  });
  expect(saved.status).toBe(200);
  expect((await staffCall(office, "GET", log)).text).not.toBe(before);
  release();
  await Promise.all([holding, erased]);
  expect(await faultOf(office.businessId)).toBeNull();
});

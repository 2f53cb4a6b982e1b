import { eq, sql } from "drizzle-orm";
import { afterAll, expect, test } from "vitest";
import { closePool, db } from "@/db/client";
import { writeProcess } from "@/db/processes";
import { mails } from "@/db/schema/mails";
import { sealedTogetherKey } from "@/db/setting-keys";
import { readSetting, replaceSetting } from "@/db/settings";
import type { Mail, MailWithContent } from "@/lib/contract/mails";
import { ERASED_EMAIL, ERASED_TEXT } from "@/lib/domain/payers/rules";
import { markVerified } from "@/lib/domain/users/rows";
import { erasePayer, previewErasure } from "@/lib/flows/erasure/steps";
import { sendMail } from "@/lib/flows/mailing/steps";
import { newId } from "@/lib/kernel/ids";
import type { MailTransport } from "@/lib/mail/transport";
import {
  data,
  keyCall,
  link,
  mailed,
  newLink,
  newOffice,
  pay,
  staffCall,
} from "./dashboard/setting";
import { payer } from "./furnished-payer";

afterAll(closePool);

test("an erased payer is not in the mails of others either, and one that waits says what its link says then", async () => {
  const office = await newOffice();
  const { ctx } = office.shop;
  await markVerified(db, office.userId);
  const [email, ben] = [payer(), office.email];
  const of = { email: ben, send_email: true };
  const changed = await newLink(office, { ...of, description: `for ${email}` });
  const waiting = await newLink(office, { ...of, title: `For ${email}` });
  const unnamedLink = await newLink(office, of);
  const paid = await newLink(office, { ...of, reference: email });
  await pay(office, paid);
  for (const id of [changed, waiting, unnamedLink]) await mailed(id, 1);
  await mailed(paid, 2);
  data(await keyCall(office, "PUT", `/payment-links/${changed}`, link({ email: ben })));
  await erasePayer(ctx, email);
  const mailsOf = async (id: string) =>
    data<{ data: Mail[] }>(await staffCall(office, "GET", `/mails?payment_link_id=${id}`)).data;
  const read = async (_id = "") =>
    data<MailWithContent>(await staffCall(office, "GET", `/mails/${_id}`));
  for (const id of [changed, waiting, paid])
    for (const { _id } of await mailsOf(id))
      expect(await read(_id)).toMatchObject({ recipient: ben, text: ERASED_TEXT });
  expect((await read((await mailsOf(unnamedLink))[0]?._id)).text).toContain("MYR");

  const theReceipt = async () => (await mailsOf(paid)).find(({ kind }) => kind === "receipt");
  const receipt = (await theReceipt())?._id;
  await db.execute(sql`update mails set status = 'sent', next_try_at = null where id = ${receipt}`);
  expect((await read(receipt)).resendable).toBe(false);
  expect(await theReceipt()).toMatchObject({ status: "sent", resendable: false });
  expect((await staffCall(office, "POST", `/mails/${receipt}/resend`)).status).toBe(409);

  const sent: string[] = [];
  const transport: MailTransport = {
    send: async ({ subject, html, text }) => {
      sent.push([subject, html, text].join());
      return { kind: "sent" };
    },
    close: () => undefined,
  };
  const [queued] = await db.select().from(mails).where(eq(mails.objectId, waiting));
  if (!queued) throw new Error("no mail");
  await sendMail(transport, queued);
  expect(sent).toHaveLength(1);
  expect(sent[0]).toContain(`For ${ERASED_EMAIL}`);
  expect(sent[0]).not.toContain(email);
  expect((await read(queued.id)).text).toContain(`For ${ERASED_EMAIL}`);
});

test("an erased payer may be in events that an earlier version sealed for others, and the preview says so", async () => {
  const office = await newOffice();
  const email = payer();
  await newLink(office, { email });
  const places = async () =>
    (await previewErasure(office.shop.ctx, email)).remaining.map(({ place }) => place).join();
  expect(await places()).not.toContain("Events of other payers");
  // Above the id of every event: those of one second come in no order.
  await replaceSetting(sealedTogetherKey, "f".repeat(24));
  expect(await places()).toContain("Events of other payers");
  await db.execute(sql`delete from settings where key = ${sealedTogetherKey}`);
});

test("an erased payer may be in mails to others of which no event is left, and the preview says so", async () => {
  const office = await newOffice();
  const email = payer();
  const places = async () =>
    (await previewErasure(office.shop.ctx, email)).remaining.map(({ place }) => place).join();
  await mailed(await newLink(office, { email, send_email: true }), 1);
  await db.execute(
    sql`update mails set id = overlay(id placing '5' from 1) where business_id = ${office.businessId}`,
  );
  expect(await places()).not.toContain("Mails to other payers");
  const id = await newLink(office, { email: office.email, send_email: true });
  await mailed(id, 1);
  expect(await places()).not.toContain("Mails to other payers");
  await db.execute(
    sql`update mails set id = overlay(id placing '5' from 1) where object_id = ${id}`,
  );
  expect(await places()).toContain("Mails to other payers");
});

test("the business's own settings stay, and the preview names those with the address", async () => {
  const office = await newOffice();
  const email = payer();
  const places = async () =>
    (await previewErasure(office.shop.ctx, email)).remaining.map(({ place }) => place).join();
  expect(await places()).not.toContain("webhook endpoints");
  const url = `https://example.com/?to=${encodeURIComponent(email)}`;
  data(await keyCall(office, "POST", "/webhook-endpoints", { url }));
  expect(await places()).toContain("webhook endpoints");
});

test("so it does of events that an earlier version writes after the upgrade, as each sign of its life shows", async () => {
  const office = await newOffice();
  const email = payer();
  const bound = () => readSetting(sealedTogetherKey);
  const places = async () =>
    (await previewErasure(office.shop.ctx, email)).remaining.map(({ place }) => place).join();
  const row = { kind: "web", pid: 1, host: "far-away", keys: [], sealsWith: "" };
  await writeProcess(db, { id: newId(), ...row });
  expect(await bound()).toBeUndefined();
  const id = newId();
  await db.execute(
    sql`insert into processes (id, kind, pid, host, keys, seals_with) values (${id}, 'web', 2, 'far-away', '{}', '')`,
  );
  await newLink(office, { email });
  expect(await places()).toContain("Events of other payers");
  await replaceSetting(sealedTogetherKey, "0".repeat(24));
  expect(await places()).not.toContain("Events of other payers");
  await db.execute(sql`update processes set seen_at = now() where id = ${id}`);
  expect(await places()).toContain("Events of other payers");
  await replaceSetting(sealedTogetherKey, "f".repeat(24));
  await db.execute(sql`update processes set seen_at = now() where id = ${id}`);
  expect(await bound()).toBe("f".repeat(24));
  await db.execute(sql`delete from settings where key = ${sealedTogetherKey}`);
});

import { afterAll, expect, test } from "vitest";
import { closePool, db, pool } from "@/db/client";
import type { Mail, MailWithContent } from "@/lib/contract/mails";
import type { TimelineEntry } from "@/lib/contract/timeline";
import { resetMail } from "@/lib/domain/accounts/mails";
import { unscopedCloseMail } from "@/lib/domain/mails/rows";
import {
  data,
  keyCall,
  mailed,
  member,
  newLink,
  newOffice,
  type Office,
  pay,
  staffCall,
} from "./setting";

afterAll(closePool);

const list = async (office: Office, query = "") =>
  data<{ data: Mail[] }>(await staffCall(office, "GET", `/mails${query}`)).data;

async function withMail(
  status: "sent" | "failed" | "queued" = "sent",
): Promise<{ office: Office; id: string; mail: Mail }> {
  const office = await newOffice();
  const id = await newLink(office, { send_email: true });
  await mailed(id, 1);
  const [mail] = await list(office);
  if (!mail) throw new Error("no mail");
  if (status !== "queued")
    await unscopedCloseMail(
      { businessId: office.businessId, id: mail._id, fence: 0, tries: 0 },
      status,
      status === "failed" ? "550 no such mailbox" : null,
      null,
    );
  return { office, id, mail };
}

test("the business's payer mails are listed and read as the payer sees them", async () => {
  const { office, id, mail } = await withMail();
  expect(await list(office)).toMatchObject([
    {
      _id: mail._id,
      kind: "payment_link",
      status: "sent",
      recipient: "ana@example.com",
      payment_link_id: id,
      resent_from: null,
    },
  ]);
  const read = data<MailWithContent>(await staffCall(office, "GET", `/mails/${mail._id}`));
  expect(read.html).toContain(`/pay?id=${id}`);
  expect(read.text).toContain(`/pay?id=${id}&test=true`);
});

test("they are filtered by state, kind, link and text", async () => {
  const { office, id } = await withMail("failed");
  const other = await newLink(office, { send_email: true, email: "ben@example.com" });
  await pay(office, id);
  await mailed(id, 2);
  await mailed(other, 1);
  expect((await list(office)).length).toBe(3);
  expect(await list(office, "?status=failed")).toMatchObject([{ error: "550 no such mailbox" }]);
  expect((await list(office, "?kind=receipt")).map(({ kind }) => kind)).toEqual(["receipt"]);
  expect((await list(office, `?payment_link_id=${id}`)).length).toBe(2);
  expect((await list(office, "?q=BEN@")).map(({ recipient }) => recipient)).toEqual([
    "ben@example.com",
  ]);
});

test("account mails, another business's and the other mode's are not there", async () => {
  const { office, mail } = await withMail();
  await resetMail(db, { recipient: office.email, token: "secret" });
  const { rows } = await pool().query<{ id: string }>("select id from mails where recipient = $1", [
    office.email,
  ]);
  expect((await list(office)).map(({ _id }) => _id)).toEqual([mail._id]);
  expect((await staffCall(office, "GET", `/mails/${rows[0]?.id}`)).status).toBe(404);
  const other = await newOffice();
  expect((await staffCall(other, "GET", `/mails/${mail._id}`)).status).toBe(404);
  expect((await staffCall(other, "POST", `/mails/${mail._id}/resend`)).status).toBe(404);
  expect(
    (
      await staffCall(office, "GET", `/mails/${mail._id}`, undefined, {
        ...office.headers,
        "x-kutip-mode": "live",
      })
    ).status,
  ).toBe(404);
  expect((await keyCall(office, "GET", "/mails")).status).toBe(403);
});

test("a mail is sent again as a new mail of the same content, five times an hour at most", async () => {
  const { office, id, mail } = await withMail();
  const again = data<Mail>(await staffCall(office, "POST", `/mails/${mail._id}/resend`));
  expect(again).toMatchObject({
    status: "queued",
    recipient: mail.recipient,
    subject: mail.subject,
    resent_from: mail._id,
  });
  const [first, second] = await Promise.all(
    [mail._id, again._id].map(async (one) =>
      data<MailWithContent>(await staffCall(office, "GET", `/mails/${one}`)),
    ),
  );
  expect([second?.html, second?.text]).toEqual([first?.html, first?.text]);
  const timeline = data<TimelineEntry[]>(
    await staffCall(office, "GET", `/payment-links/${id}/timeline`),
  );
  expect(timeline.find((entry) => entry.mail_id === again._id)?.actor).toEqual({
    kind: "person",
    name: "Some Body",
  });
  const more = await Promise.all(
    Array.from({ length: 8 }, () => staffCall(office, "POST", `/mails/${mail._id}/resend`)),
  );
  expect(more.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 429, 429, 429, 429]);
  expect(
    Number(more.find(({ status }) => status === 429)?.headers.get("retry-after")),
  ).toBeGreaterThan(3_000);
});

test("neither for a deleted link, nor while it waits, nor by a viewer", async () => {
  const waiting = await withMail("queued");
  expect(
    (await staffCall(waiting.office, "POST", `/mails/${waiting.mail._id}/resend`)).status,
  ).toBe(409);
  const { office, id, mail } = await withMail();
  expect(
    (
      await staffCall(
        office,
        "POST",
        `/mails/${mail._id}/resend`,
        undefined,
        await member(office, "viewer"),
      )
    ).status,
  ).toBe(403);
  data(await keyCall(office, "DELETE", `/payment-links/${id}`));
  expect((await staffCall(office, "POST", `/mails/${mail._id}/resend`)).body).toMatchObject({
    code: "not_payable",
  });
});

import { afterAll, expect, test } from "vitest";
import { GET } from "@/app/(payer)/receipt/[receipt]/route";
import { GET as thankYou } from "@/app/(payer)/thank-you/route";
import { GET as payPage } from "@/app/(payer)/pay/route";
import { closePool, db } from "@/db/client";
import type { Mail, MailWithContent } from "@/lib/contract/mails";
import type { Payment } from "@/lib/contract/payments";
import { chargeToken } from "@/lib/contract/tokenizations";
import {
  readReceiptAddress,
  type ReceiptReader,
  receiptAddress,
  receiptKey,
} from "@/lib/domain/payments/receipt-address";
import { newId } from "@/lib/kernel/ids";
import { pdfText } from "../../e2e/pdf-text";
import { readyPath } from "../contract/fixtures";
import { sql } from "drizzle-orm";
import {
  bearer,
  data,
  file,
  keyCall,
  mailed,
  newLink,
  newOffice,
  type Office,
  pay,
  staffCall,
} from "./setting";

afterAll(closePool);

const addressOf = async (id: string, reader: ReceiptReader) =>
  receiptAddress(await receiptKey(db), id, reader);
const download = (address: string) =>
  GET(new Request(address), {
    params: Promise.resolve({ receipt: address.split("/").at(-1) ?? "" }),
  });
const textAt = async (address: string) =>
  pdfText(Buffer.from(await (await download(address)).arrayBuffer()));
const addressIn = (text: string) => /https?:\/\/[^"\s<]+\/receipt\/[\w-]+/.exec(text)?.[0] ?? "";

async function paid(office: Office, outcome?: string) {
  const link = await newLink(office, { send_email: true, title: "学费 for Ana" });
  await pay(office, link, ...(outcome ? [outcome as never] : []));
  const [payment] = data<{ data: Payment[] }>(
    await keyCall(office, "GET", `/payments?payment_link_id=${link}`),
  ).data;
  if (!payment) throw new Error("no payment");
  return { link, payment };
}

const html = async (answer: Response | Promise<Response>) => (await answer).text();
const thanks = (id: string) =>
  html(thankYou(new Request(`http://localhost:3000/thank-you?payment_id=${id}`), {}));

test("the thank-you page and the page of a paid link lead to the receipt, with the payer's address masked", async () => {
  const { link, payment } = await paid(await newOffice());
  const pages = [
    await thanks(payment._id),
    await html(payPage(new Request(`http://localhost:3000/pay?id=${link}&test=true`), {})),
  ];
  for (const page of pages) {
    const answer = await download(addressIn(page));
    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-type": "application/pdf",
      "content-disposition": `attachment; filename="receipt-${payment._id}.pdf"`,
      "cache-control": "no-store",
      "x-robots-tag": "noindex",
    });
    const text = pdfText(Buffer.from(await answer.arrayBuffer()));
    for (const part of ["学费 for Ana", payment._id, "a•••@example.com"])
      expect(text).toContain(part);
    expect(text).not.toContain("ana@example.com");
  }
});

test("a payer who waits on the thank-you page is led to the link's page once the payment fails or needs the payer", async () => {
  const office = await newOffice();
  const { link, payment } = await paid(office, "decline");
  const open = () =>
    thankYou(new Request(`http://localhost:3000/thank-you?payment_id=${payment._id}`), {});
  const attempt = `http://localhost:3000/pay?id=${link}&test=true&attempt=${payment._id}`;
  const set = (status: string) =>
    db.execute(sql`update payments set status = ${status} where id = ${payment._id}`);
  for (const status of ["pending", "unknown"]) {
    await set(status);
    expect([status, (await open()).status]).toEqual([status, 200]);
  }
  for (const status of ["submitting", "requires_action", "cancelled", "failed"]) {
    await set(status);
    const answer = await open();
    expect([status, answer.status, answer.headers.get("location")]).toEqual([status, 303, attempt]);
  }
  expect(await html(payPage(new Request(attempt), {}))).toContain(
    "The payment did not go through.",
  );
});

test("no page of a payment that was refunded or disputed since says that the business has the money, or passes for a receipt", async () => {
  const { payment, link } = await paid(await newOffice());
  const ofLink = () =>
    html(payPage(new Request(`http://localhost:3000/pay?id=${link}&test=true`), {}));
  expect(await thanks(payment._id)).toContain("has your payment.");
  expect(await ofLink()).toContain("This is the receipt.");
  for (const flags of ["{}", "{late}"])
    for (const [status, refunded, words] of [
      ["refunded", payment.amount, "Your payment was refunded."],
      ["partially_refunded", 100, "Part of your payment was refunded."],
      ["disputed", 0, "This payment was disputed at your bank."],
    ] as const) {
      await db.execute(
        sql`update payments set status = ${status}, refunded_amount = ${refunded}, flags = ${flags}::text[] where id = ${payment._id}`,
      );
      const pages = [await thanks(payment._id), ...(flags === "{}" ? [await ofLink()] : [])];
      for (const page of pages) {
        expect(page).toContain(words);
        for (const untrue of ["has your payment", "may refund it", "This is the receipt"])
          expect(page).not.toContain(untrue);
        expect(/Keep this page|Download the receipt/.test(page)).toBe(status !== "disputed");
      }
    }
});

test("the page of a link that was paid beside a charge of its period says when that money was refunded", async () => {
  const { payment, link } = await paid(await newOffice());
  const ofLink = () =>
    html(payPage(new Request(`http://localhost:3000/pay?id=${link}&test=true`), {}));
  await db.execute(sql`update payments set flags = '{duplicate}' where id = ${payment._id}`);
  expect(await ofLink()).toContain(payment._id);
  expect(await thanks(payment._id)).toContain("This was already paid, so");
  await db.execute(
    sql`update payments set status = 'refunded', refunded_amount = amount where id = ${payment._id}`,
  );
  const page = await ofLink();
  expect(page).toContain("Your payment was refunded.");
  expect(page).not.toContain("This is the receipt");
});

test("the receipt mail leads to the receipt that names the payer in full", async () => {
  const office = await newOffice();
  const { link } = await paid(office);
  await mailed(link, 2);
  const [mail] = data<{ data: Mail[] }>(await staffCall(office, "GET", "/mails?kind=receipt")).data;
  const read = data<MailWithContent>(await staffCall(office, "GET", `/mails/${mail?._id}`));
  for (const content of [read.html, read.text])
    expect(await textAt(addressIn(content))).toContain("ana@example.com");
});

test("the receipt of either reader has both references of the link", async () => {
  const office = await newOffice();
  const link = await newLink(office, { reference: "INV-1042", reference_2: "PO-7" });
  await pay(office, link);
  const [payment] = data<{ data: Payment[] }>(
    await keyCall(office, "GET", `/payments?payment_link_id=${link}`),
  ).data;
  for (const reader of ["payer", "page"] as const) {
    const text = await textAt(await addressOf(payment?._id ?? "", reader));
    for (const part of ["INV-1042", "Reference 2", "PO-7"]) expect(text).toContain(part);
  }
});

test("the parts of a receipt's refunds come to their sum, however many they are", async () => {
  const office = await newOffice();
  const { payment } = await paid(office);
  for (let amount = 101; amount <= 110; amount += 1)
    data(await keyCall(office, "POST", `/payments/${payment._id}/refunds`, { amount }));
  const text = await textAt(await addressOf(payment._id, "page"));
  const lines = text.split("\n");
  expect(lines).toContain("MYR 10.55");
  for (let amount = 103; amount <= 110; amount += 1)
    expect(text).toContain(`MYR 1.${amount % 100 < 10 ? "0" : ""}${amount % 100} on `);
  expect(text).toContain("MYR 2.03 in 2 earlier refunds");
});

test("the receipt of a disputed payment is refused, and the refusal names the dispute", async () => {
  const office = await newOffice();
  const { payment } = await paid(office);
  await db.execute(sql`update payments set status = 'disputed' where id = ${payment._id}`);
  const answer = await file(`/payments/${payment._id}/receipt`, bearer(office.key));
  expect([answer.status, ((await answer.json()) as { message: string }).message]).toEqual([
    409,
    "There is a receipt only for a payment that succeeded and that no dispute holds.",
  ]);
});

test("the address of a receipt says that the payment was disputed, for as long as that is so, of a charge without a link too", async () => {
  const office = await newOffice();
  const { payment } = await paid(office);
  const charge = await readyPath(chargeToken, office.shop.ctx);
  const terms = { amount: 1_250, currency: "MYR", title: "Monthly fee" };
  const charged = data<Payment>(await keyCall(office, "POST", charge, terms));
  for (const { _id } of [payment, charged]) {
    const address = await addressOf(_id, "payer");
    expect((await download(address)).headers.get("content-type")).toBe("application/pdf");
    await db.execute(sql`update payments set status = 'disputed' where id = ${_id}`);
    const answer = await download(address);
    expect(answer.status).toBe(200);
    const page = await answer.text();
    expect(page).toContain("This payment was disputed at your bank.");
    expect(page).toContain(_id);
    expect(page).not.toMatch(/cannot find|ana@example\.com|Download the receipt/);
  }
});

test("an address that was not made for the payment is not found, and neither is the receipt of a payment that failed", async () => {
  const office = await newOffice();
  const { payment } = await paid(office);
  const { payment: failed } = await paid(office, "decline");
  const right = await addressOf(payment._id, "page");
  const [, signature = ""] = right.split(`${payment._id}-`);
  for (const wrong of [
    right.replace(payment._id, failed._id),
    right.replace(payment._id, newId()),
    right.slice(0, -1),
    `${right}A`,
    right.replace(signature, "A".repeat(24)),
    right.replace(`-${signature}`, ""),
    await addressOf(failed._id, "payer"),
    await addressOf(newId(), "payer"),
  ])
    expect([wrong, (await download(wrong)).status]).toEqual([wrong, 404]);
  expect(await thanks(payment._id)).toContain(signature);
});

test("an address for one reader is not one for the other", async () => {
  const id = newId();
  const key = await receiptKey(db);
  for (const reader of ["payer", "page"] as const)
    expect(
      readReceiptAddress(key, receiptAddress(key, id, reader).split("/").at(-1) ?? ""),
    ).toEqual({ id, reader });
});

test("a payment's receipt is made ten times a minute, and then other payments' still are", async () => {
  const office = await newOffice();
  const { payment } = await paid(office);
  const { payment: other } = await paid(office);
  const address = await addressOf(payment._id, "page");
  const statuses: number[] = [];
  for (let call = 0; call < 11; call += 1) statuses.push((await download(address)).status);
  expect(statuses).toEqual([...Array<number>(10).fill(200), 429]);
  expect((await download(await addressOf(other._id, "page"))).status).toBe(200);
});

test("the payment page says until when it can be paid, in the business's zone and in UTC", async () => {
  const office = await newOffice();
  await db.execute(
    sql`update businesses set time_zone = 'Asia/Kuala_Lumpur' where id = ${office.businessId}`,
  );
  const link = await newLink(office, { expires_at: "2031-03-01T16:30:00Z" });
  const page = await html(
    payPage(new Request(`http://localhost:3000/pay?id=${link}&test=true`), {}),
  );
  expect(page).toContain("Pay before");
  expect(page).toContain("2 March 2031, 00:30 Kuala Lumpur time (1 March 2031, 16:30 UTC)");
});

import { expect, test } from "vitest";
import { renderPaymentLinkMail } from "./payment-link-mail";
import { renderReceiptMail } from "./receipt-mail";
import { renderSubscriptionMail, subscriptionSteps } from "./subscription-mails";

const address = "https://pay.example.com/pay?id=65f1c0de65f1c0de65f1c0de&test=true";
const business = {
  name: "Kedai Kopi Pak Din",
  accent: "#7c3aed",
  supportEmail: "hello@pakdin.example",
  supportPhone: null,
};
const link = {
  business,
  test: false,
  title: "Catering",
  description: "60 guests\nfrom 11:00",
  amount: "MYR 1,280.50",
  references: ["INV-1", null],
  address,
  expiresAt: "2026-11-30T16:00:00.000000Z",
};
const receipt = {
  business,
  test: false,
  title: "Catering",
  amount: "MYR 1,280.50",
  references: ["INV-1"],
  paidAt: "2026-11-20T14:03:09.123456Z",
  paymentId: "65f1c0de65f1c0de65f1c0de",
  receiptUrl: "https://pay.example.com/receipt/65f1c0de65f1c0de65f1c0de-abc",
};
const occurrences = (text: string, part: string) => text.split(part).length - 1;

test("a new link's mail says who asks, for what, how much and where, in both versions", () => {
  const mail = renderPaymentLinkMail(link);
  expect(mail.subject).toBe("Kedai Kopi Pak Din asks you to pay MYR 1,280.50");
  for (const part of [
    "Kedai Kopi Pak Din",
    "Catering",
    "INV-1",
    "30 November 2026, 16:00 UTC",
    "hello@pakdin.example",
  ]) {
    expect(mail.html).toContain(part);
    expect(mail.text).toContain(part);
  }
  expect(mail.text).toContain("MYR 1,280.50");
  expect(mail.text).toContain("60 guests\nfrom 11:00");
  expect(occurrences(mail.text, address)).toBe(1);
  expect(mail.html).toContain("60 guests<br>from 11:00");
  expect(occurrences(mail.html, `href="${address.replace("&", "&amp;")}"`)).toBe(2);
  expect(mail.html).toContain("Pay MYR 1,280.50</a>");
});

test("a new link's mail says on which day it is due, in the business's zone, and nothing of it without a due date", () => {
  const due = { ...link, dueAt: "2026-12-02T18:00:00.000000Z", timeZone: "Asia/Kuala_Lumpur" };
  for (const version of Object.values(renderPaymentLinkMail(due)).slice(1))
    expect(version).toContain("3 December 2026");
  expect(renderPaymentLinkMail(due).text).toContain("Due: 3 December 2026");
  expect(renderPaymentLinkMail(link).text).not.toContain("Due");
});

test("a receipt says how much, to whom, for what, when and under which payment, and asks for nothing", () => {
  const mail = renderReceiptMail(receipt);
  expect(mail.subject).toBe("Receipt: MYR 1,280.50 paid to Kedai Kopi Pak Din");
  expect(mail.text).not.toContain("Paid with");
  const charged = renderReceiptMail({ ...receipt, method: "Visa 4242" });
  expect([charged.html, charged.text].every((text) => text.includes("Visa 4242"))).toBe(true);
  for (const part of [
    "Kedai Kopi Pak Din",
    "Catering",
    "INV-1",
    "20 November 2026, 14:03 UTC",
    "65f1c0de65f1c0de65f1c0de",
  ]) {
    expect(mail.html).toContain(part);
    expect(mail.text).toContain(part);
  }
  expect(mail.text).toContain("MYR 1,280.50");
  expect([...mail.html.matchAll(/href="([^"]*)"/g)].map(([, href]) => href)).toEqual([
    receipt.receiptUrl,
    receipt.receiptUrl,
  ]);
  expect(mail.text).toContain(receipt.receiptUrl);
});

test("each step of a subscription says what it is about, asks for money only where there is some to pay, and puts no line into the subject", () => {
  const known = {
    business,
    test: false,
    title: "Membership",
    amount: "MYR 12.50",
    period: { start: "2027-01-31", end: "2027-02-27" },
    address,
    retryAt: "2027-02-01T00:00:00.000000Z",
  };
  const mails = subscriptionSteps.map((step) => ({
    step,
    ...renderSubscriptionMail({ ...known, step }),
  }));
  for (const { step, subject, html, text } of mails) {
    expect(subject).toMatch(/^Kedai Kopi Pak Din: [^\n]+$/);
    expect(text).toContain("Membership");
    for (const version of [html, text])
      expect(version.includes("31 January 2027 to 27 February 2027")).toBe(
        step !== "subscription_cancelled",
      );
    expect(occurrences(text, address)).toBe(step === "subscription_cancelled" ? 0 : 1);
    expect(text.includes("Next try: 1 February 2027, 00:00 UTC")).toBe(step === "payment_failed");
    expect(text.includes("could not be charged")).toBe(
      step === "payment_failed" || step === "subscription_halted",
    );
  }
  expect(new Set(mails.map(({ subject }) => subject)).size).toBe(subscriptionSteps.length);
});

test("test mode shows in the subject and in both versions, live mode says nothing of it", () => {
  for (const mail of [
    renderPaymentLinkMail({ ...link, test: true }),
    renderReceiptMail({ ...receipt, test: true }),
  ]) {
    expect(mail.subject).toMatch(/^\[Test\] /);
    expect(mail.text).toContain("TEST MODE");
    expect(mail.html).toContain("Test mode.");
  }
  for (const mail of [renderPaymentLinkMail(link), renderReceiptMail(receipt)])
    expect(`${mail.subject}${mail.text}${mail.html}`).not.toMatch(/test mode|\[Test\]/i);
});

test("no mail loads anything from anywhere", () => {
  for (const mail of [renderPaymentLinkMail(link), renderReceiptMail(receipt)])
    expect(mail.html).not.toMatch(/<img|<script|<link|\ssrc=|url\(|@import|@font-face/i);
});

test("what a business wrote is laid out in its own direction, and the mail's own sentences are English", () => {
  const { html } = renderPaymentLinkMail({
    ...link,
    reminder: true,
    description: "دفع الرسوم.\nשלום.",
  });
  const [, attributes] = /<p([^>]*)>دفع الرسوم\.<br>שלום\.<\/p>/.exec(html) ?? [];
  expect(attributes).toContain('dir="auto" lang=""');
  const [, own] = /<p([^>]*)>We have not received/.exec(html) ?? [];
  expect(own).not.toContain("lang");
});

test("text from outside stays text", () => {
  const hostile = `"><script>alert(1)</script><img src=x onerror=alert(1)>'`;
  const evil = {
    ...business,
    name: hostile,
    supportEmail: hostile,
    supportPhone: hostile,
    accent: hostile,
  };
  const mails = [
    renderPaymentLinkMail({
      ...link,
      business: evil,
      title: hostile,
      description: hostile,
      references: [hostile, hostile],
    }),
    renderReceiptMail({ ...receipt, business: evil, title: hostile, references: [hostile] }),
  ];
  for (const mail of mails) {
    expect(mail.html).not.toMatch(/<script|<img/i);
    expect(mail.html).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
  }
});

test.each([
  "\r\nBcc: victim@example.com",
  "\nBcc: victim@example.com",
  "\rBcc: x",
  "\u2028Bcc: x",
  "\u0000",
  "\u0085Bcc: x",
  "\u202egnp.exe",
])("a subject is one line whatever a name holds: %j", (tail) => {
  for (const mail of [
    renderPaymentLinkMail({ ...link, business: { ...business, name: `Shop${tail}` } }),
    renderReceiptMail({ ...receipt, business: { ...business, name: `Shop${tail}` } }),
  ]) {
    expect(mail.subject).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e]/);
    expect(mail.subject).toContain("Shop");
  }
});

test("a title with line breaks cannot add lines that look like the template's", () => {
  const mail = renderPaymentLinkMail({
    ...link,
    title: "Nice\n\nPay MYR 1.00:\nhttps://evil.example",
  });
  expect(mail.text).not.toMatch(/^https:\/\/evil/m);
});

test("an endless name leaves a subject of reasonable length", () => {
  const { subject } = renderPaymentLinkMail({
    ...link,
    business: { ...business, name: "🙂".repeat(500) },
  });
  expect([...subject].length).toBeLessThanOrEqual(150);
  expect(subject.isWellFormed()).toBe(true);
});

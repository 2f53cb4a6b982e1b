import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import type { PayerView } from "@/lib/payer/view";
import { renderDocument } from "./document";

const address = "https://pay.example.com/pay?id=65f1c0de65f1c0de65f1c0de&test=true";

function samples(text: string): PayerView[] {
  const business = {
    name: `Kedai ${text}`,
    accent: "#7c3aed",
    supportEmail: `help${text}@example.com`,
    supportPhone: `+60 12 ${text}`,
  };
  const link = {
    title: `Catering ${text}`,
    amount: "MYR 12.34",
    references: [`INV ${text}`, `PO ${text}`],
  };
  const receipt = {
    ...link,
    paidAt: "2026-11-20T14:03:09.123456Z",
    paymentId: "65f1c0de65f1c0de65f1c0de",
    timeZone: "Asia/Kuala_Lumpur",
  };
  const page = { business, test: true };
  const pay = {
    view: "pay",
    ...page,
    ...link,
    id: "65f1c0de65f1c0de65f1c0de",
    version: 3,
    description: `Line one\n${text}`,
    address,
  } as const;
  const activate = {
    view: "activate",
    ...page,
    action: "/activate/x",
    title: `Plan ${text}`,
    description: text,
    hidden: { version: text },
  } as const;
  return [
    pay,
    {
      ...pay,
      test: false,
      description: null,
      references: [],
      notice: { kind: "declined", reason: `No ${text}` },
    },
    { ...pay, notice: { kind: "other_amount" } },
    { ...pay, notice: { kind: "unconfirmed" } },
    { ...pay, notice: { kind: "refused" } },
    { ...pay, notice: { kind: "too_small" } },
    {
      ...pay,
      ways: [
        { method: "fpx", options: [{ code: text, name: `Bank ${text}`, isAvailable: false }] },
        { method: "card", options: [] },
      ],
      notice: { kind: "still_open", url: "https://gateway.example/p" },
    },
    { ...pay, notice: { kind: "no_answer" } },
    { ...pay, ways: [{ method: "card", options: [] }], notice: { kind: "no_answer" } },
    { ...pay, notice: { kind: "checking" } },
    { ...pay, notice: { kind: "not_offered" } },
    { ...pay, ways: [{ method: "card", options: [] }], notice: { kind: "not_offered" } },
    { ...pay, notice: { kind: "not_connected", pressed: false } },
    { ...pay, notice: { kind: "not_connected", pressed: true } },
    { ...pay, notice: { kind: "changed" } },
    { ...pay, notice: { kind: "cancelled" } },
    { view: "paid", outcome: "paid", ...page, ...receipt },
    { view: "paid", outcome: "partially_refunded", ...page, ...receipt, refunded: "MYR 1.00" },
    { view: "paid", outcome: "refunded", ...page, ...receipt, refunded: "MYR 12.34" },
    { view: "paid", outcome: "disputed", ...page, ...receipt },
    { view: "thank_you", outcome: "paid", ...page, ...receipt },
    { view: "thank_you", outcome: "late", ...page, ...receipt },
    { view: "thank_you", outcome: "duplicate", ...page, ...receipt },
    { view: "thank_you", outcome: "refunded", ...page, ...receipt, refunded: "MYR 12.34" },
    { view: "thank_you", outcome: "partially_refunded", ...page, ...receipt, refunded: "MYR 1.00" },
    { view: "thank_you", outcome: "disputed", ...page, ...receipt },
    {
      view: "thank_you",
      outcome: "pending",
      ...page,
      ...receipt,
      paidAt: null,
      lookedAt: "2026-11-20T14:03:05.000Z",
      reloadUrl: "/thank-you?payment_id=1",
    },
    {
      view: "processing",
      ...page,
      title: link.title,
      amount: link.amount,
      reloadUrl: "/pay?id=1",
      watchUrl: "/pay?id=1&watch=true",
    },
    { view: "processing", ...page, title: link.title, reloadUrl: "/pay?id=1", watch: true },
    { view: "expired", ...page, ...link },
    { view: "cancelled", ...page, ...link },
    { view: "deleted", ...page },
    { view: "unknown", what: "payment" },
    { view: "unavailable", reloadUrl: "/pay?id=1" },
    { view: "form_refused", reason: "refused", reloadUrl: "/pay?id=1" },
    { view: "form_refused", reason: "cross_site", reloadUrl: "/pay?id=1" },
    activate,
    { ...activate, notice: { kind: "declined", reason: text } },
    { ...activate, notice: { kind: "refused" } },
    { ...activate, notice: { kind: "cancelled" } },
    { ...activate, notice: { kind: "not_connected" } },
    {
      view: "activated",
      ...page,
      title: link.title,
      method: { brand: "visa", last4: "4242", exp: "11/2030" },
    },
    { view: "activate_gone", ...page, reason: "used" },
    { view: "activate_gone", ...page, reason: "expired" },
    { view: "activate_gone", ...page, reason: "revoked" },
    {
      view: "simulator",
      purpose: "pay",
      action: "/simulator/x",
      amount: "MYR 12.34",
      title: link.title,
    },
    { view: "simulator", purpose: "save", action: "/simulator/x", title: link.title },
    { view: "simulator_finished", result: `Approved ${text}`, backUrl: "/pay?id=1" },
    { view: "simulator_unknown" },
  ];
}

/** The lang of the element around each text of a page. */
function languages(html: string): { text: string; lang: string }[] {
  const around: string[] = [];
  const found: { text: string; lang: string }[] = [];
  const body = html.slice(html.indexOf("<body"));
  for (const [, end, tag, given, closed, text = ""] of body.matchAll(
    /<(\/?)(\w+)([^>]*?)(\/?)>([^<]*)/g,
  )) {
    const own = given?.match(/ lang="([^"]*)"/)?.[1];
    if (end) around.pop();
    else if (!closed && !/^(br|img|input|hr|meta|path|rect|circle)$/.test(tag ?? ""))
      around.push(own ?? around.at(-1) ?? "en");
    found.push({ text, lang: around.at(-1) ?? "en" });
  }
  return found;
}

test("what a business writes is not read out as English", async () => {
  let seen = 0;
  for (const view of samples("قهوة")) {
    const { html } = await renderDocument(view);
    for (const { text, lang } of languages(html)) {
      if (!/Catering|Plan|Line one|INV|PO /.test(text)) continue;
      seen += 1;
      expect(`${view.view}: ${text} ${lang}`).toBe(`${view.view}: ${text} `);
    }
    expect(languages(html).some(({ lang }) => lang === "en")).toBe(true);
  }
  expect(seen).toBeGreaterThan(20);
});

test("wherever a text brings its own direction it brings its own language", () => {
  for (const file of globSync("components/**/*.tsx"))
    for (const [tag] of readFileSync(file, "utf8").matchAll(/dir="auto"\s*\S*/g))
      expect(tag, file).toContain('lang=""');
});

const payerPages = samples("plain").filter(({ view }) => !view.startsWith("simulator"));
const count = (html: string, pattern: RegExp) => html.match(pattern)?.length ?? 0;

describe.each(samples("plain").map((view, index) => [`${view.view} (${index})`, view] as const))(
  "the %s page",
  (_, view) => {
    test("is one document with a language, a title, one heading and one main part", async () => {
      const { html } = await renderDocument(view);
      expect(html).toMatch(/^<!doctype html><html lang="en"><head><meta charset="utf-8">/);
      expect(html).toMatch(/<title>[^<]{5,}<\/title>/);
      expect(count(html, /<h1[ >]/g)).toBe(1);
      expect(count(html, /<main[ >]/g)).toBe(1);
      expect(count(html, /<style>/g)).toBe(1);
    });

    test("runs no script, loads nothing and carries no style a strict policy would drop", async () => {
      const { html } = await renderDocument(view);
      expect(html).not.toMatch(
        /<script|<iframe|<object|<link rel="stylesheet"|@import|@font-face|javascript:/i,
      );
      expect(html).not.toMatch(/<[^>]+\s(style|on\w+)=/i);
      expect(html).not.toMatch(/\ssrc=|url\(/i);
    });

    test("has the hash of exactly the style block it carries", async () => {
      const { html, styleHash } = await renderDocument(view);
      const css = /<style>(.*?)<\/style>/s.exec(html)?.[1] ?? "";
      expect(styleHash).toBe(`sha256-${createHash("sha256").update(css).digest("base64")}`);
    });

    test("is small on the wire", async () => {
      const { html } = await renderDocument(view);
      expect(gzipSync(html, { level: 1 }).length).toBeLessThan(6 * 1024);
    });
  },
);

test("text from outside arrives as text on every page", async () => {
  const hostile = `"><script>alert(1)</script><img src=x onerror=alert(2)>'&amp;</style></title>`;
  for (const view of samples(hostile)) {
    const { html } = await renderDocument(view);
    expect(html).not.toMatch(/<script|<img/i);
    expect(count(html, /<\/style>/g)).toBe(1);
    expect(count(html, /<\/title>/g)).toBe(1);
  }
});

test("the pay page stays below 15 KB with the longest description and a QR", async () => {
  let seed = 7;
  const letters = Array.from({ length: 5_000 }, () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return String.fromCharCode(97 + (seed % 26));
  }).join("");
  const [view] = samples("plain");
  const { html } = await renderDocument({ ...view, description: letters } as PayerView);
  expect(html).toContain(letters);
  expect(gzipSync(html, { level: 1 }).length).toBeLessThan(15 * 1024);
});

test("the pay page shows who asks, for what and how much, and posts what was shown", async () => {
  const [view] = samples("plain");
  const { html } = await renderDocument(view as PayerView);
  expect(html).toContain(`<span class="code">MYR</span> <span>12.34</span>`);
  expect(html).toContain(">Pay MYR 12.34</button>");
  for (const shown of [
    "Kedai plain",
    "Catering plain",
    "Line one\nplain",
    "INV plain",
    "PO plain",
    "Test mode.",
  ])
    expect(html).toContain(shown);
  const form = /<form[^>]*>/.exec(html)?.[0];
  expect(form).toContain(`method="post"`);
  expect(form).toContain(`action="/pay?id=65f1c0de65f1c0de65f1c0de&amp;test=true"`);
  for (const [name, value] of [
    ["id", "65f1c0de65f1c0de65f1c0de"],
    ["version", "3"],
    ["test", "true"],
  ]) {
    expect(html).toContain(`<input type="hidden" name="${name}" value="${value}"/>`);
  }
  expect(html).toContain(`role="img" aria-label="QR code that opens this payment page"`);
  expect(count(html, /<button/g)).toBe(1);
});

test("a live page has neither the test banner nor the test field", async () => {
  const { html } = await renderDocument(samples("plain")[1] as PayerView);
  expect(html).not.toContain("Test mode.");
  expect(html).not.toContain(`name="test"`);
  expect(html).toContain(`action="/pay?id=65f1c0de65f1c0de65f1c0de"`);
});

test("only the pay and the activation page have a form, and not without a provider", async () => {
  for (const view of payerPages) {
    const { html } = await renderDocument(view);
    const hasForm =
      (view.view === "pay" || view.view === "activate") && view.notice?.kind !== "not_connected";
    expect(count(html, /<form/g), view.view).toBe(hasForm ? 1 : 0);
  }
});

test("saving a method is not said to charge nothing: an unpaid period is charged with it at once", async () => {
  for (const view of payerPages.filter(({ view }) => /^activated?$/.test(view)))
    expect((await renderDocument(view)).html).not.toMatch(/Nothing (is|was) charged/);
  const { html } = await renderDocument(
    payerPages.find(({ view }) => view === "activate") as PayerView,
  );
  expect(html).toContain("What you already owe Kedai plain for a subscription is charged to it");
});

test.each([
  ["thank_you", "paid", "Kedai plain has your payment."],
  [
    "thank_you",
    "duplicate",
    "Kedai plain has your payment. This was already paid, so Kedai plain may refund it.",
  ],
  ...(["thank_you", "paid"] as const).flatMap((view) => [
    [view, "refunded", "Your payment was refunded."] as const,
    [view, "partially_refunded", "Part of your payment was refunded."] as const,
    [view, "disputed", "This payment was disputed at your bank."] as const,
  ]),
] as const)(
  "the page (%s) of a payment that is %s says %j, and nothing else about the money",
  async (name, outcome, words) => {
    const view = payerPages.find(
      (one) => one.view === name && "outcome" in one && one.outcome === outcome,
    );
    const { html } = await renderDocument(view as PayerView);
    expect(/<p class="text">([^<]*)</.exec(html)?.[1]).toBe(words);
  },
);

test("a page reloads automatically while its payment is pending, or after the payer asked for it", async () => {
  for (const view of samples("plain")) {
    const { refreshSeconds } = await renderDocument(view);
    expect(refreshSeconds !== undefined, view.view).toBe(
      (view.view === "processing" && view.watch === true) ||
        (view.view === "thank_you" && view.outcome === "pending"),
    );
  }
});

test("each page comes under its own status", async () => {
  const statuses = await Promise.all(
    samples("plain").map(async (view) => [view.view, (await renderDocument(view)).status] as const),
  );
  const seen = Object.fromEntries(statuses);
  expect(seen).toMatchObject({
    pay: 200,
    paid: 200,
    expired: 200,
    cancelled: 200,
    deleted: 410,
    unknown: 404,
    unavailable: 503,
    form_refused: 403,
    activate_gone: 410,
    simulator_unknown: 404,
  });
});

test("the same accent gives the same hash, another accent another one", async () => {
  const hashOf = async (accent: string) =>
    (await renderDocument({ view: "deleted", test: false, business: { name: "A", accent } }))
      .styleHash;
  expect(await hashOf("#ff0000")).toBe(await hashOf("#ff0000"));
  expect(await hashOf("#ff0000")).not.toBe(await hashOf("#00ff00"));
});

test("an accent that is no colour cannot write style rules", async () => {
  const { html } = await renderDocument({
    view: "deleted",
    test: false,
    business: { name: "A", accent: "red;}</style><script>" },
  });
  expect(html).not.toContain("<script");
});

test("the simulator offers its outcomes by name and asks for no card", async () => {
  const labels = async (view: PayerView) =>
    [...(await renderDocument(view)).html.matchAll(/<button[^>]*value="(\w+)"[^>]*>([^<]+)</g)].map(
      ([, value, label]) => `${value}: ${label}`,
    );
  const [pay, save] = samples("plain").filter(({ view }) => view === "simulator") as [
    PayerView,
    PayerView,
  ];
  expect(await labels(pay)).toEqual([
    "approve: Approve",
    "decline: Decline",
    "decline_hard: Decline hard",
    "approve_later: Approve later",
    "lose_answer: Lose the answer",
    "cancel: Cancel",
  ]);
  expect(await labels(save)).toEqual([
    "approve: Approve",
    "approve_declines: Approve but decline later charges",
    "approve_expires: Approve but expire",
    "decline: Decline",
    "cancel: Cancel",
  ]);
  expect((await renderDocument(pay)).html).not.toMatch(/<input(?![^>]*type="hidden")/);
});

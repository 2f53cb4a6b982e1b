import { afterAll, expect, test } from "vitest";
import { closePool, pool } from "@/db/client";
import type { PaymentLink } from "@/lib/contract/payment-links";
import { ERASED_EMAIL, ERASED_TEXT } from "@/lib/domain/payers/rules";
import { erasePayer } from "@/lib/flows/erasure/steps";
import { data, keyCall, mailed, newLink, newOffice, pay, staffCall } from "./dashboard/setting";

afterAll(closePool);

const ADDRESS = "ana.b_c@example.com";

const redacted = async (text: string, pattern: "word_pattern" | "address_pattern") => {
  const { rows } = await pool().query<{ text: string }>(
    `select redact_text($1, ${pattern}($2)) as text`,
    [text, ADDRESS],
  );
  return rows[0]?.text;
};

test.each([
  ["ana.b_c@example.com", ERASED_EMAIL],
  ["INV-17-ana.b_c@example.com", ERASED_EMAIL],
  ["sub_ANA.B_C@Example.com", ERASED_EMAIL],
  ["Hello.ana.b_c@example.com", ERASED_EMAIL],
  ["-ana.b_c@example.com", ERASED_EMAIL],
  ["shop+ana.b_c@example.com", ERASED_EMAIL],
  ["ana.b_c@example.com-17", ERASED_EMAIL],
  ["ana.b_c@example.com.my", ERASED_EMAIL],
  ['"INV-17-ana.b_c@example.com".', `"${ERASED_EMAIL}".`],
  ["To <x-ana.b_c@example.com>, today.", `To <${ERASED_EMAIL}>, today.`],
  ["INV-1-ana.b_c@example.com,ana.b_c@example.com", `${ERASED_EMAIL},${ERASED_EMAIL}`],
  ["https://a.example/x-ana.b_c@example.com?q=1", `https://a.example/${ERASED_EMAIL}?q=1`],
  ["?to=INV-17-ana.b_c%40example.com&x=1", `?to=${ERASED_EMAIL}&x=1`],
  ["?to=shop%2Bana%2Eb_c%40example.com", `?to=${ERASED_EMAIL}`],
  ["?note=for%20INV-17-ana.b_c%40example.com%20a", `?note=for%20${ERASED_EMAIL}%20a`],
  ["?next=%3Fto%3Dfor%2520x-ana.b_c%2540example.com", `?next=%3Fto%3Dfor%2520${ERASED_EMAIL}`],
  ["100%ana.b_c@example.com", `100%${ERASED_EMAIL}`],
  [String.raw`{"a":"\nana.b_c@example.com"}`, String.raw`{"a":"\n${ERASED_EMAIL}"}`],
  [
    String.raw`{"a":"\u003cx-ana.b_c@example.com\u003e"}`,
    String.raw`{"a":"\u003c${ERASED_EMAIL}\u003e"}`,
  ],
  ["ana.b@example.com, an a.b_c@example.com", "ana.b@example.com, an a.b_c@example.com"],
])("in a payer's own record %s becomes %s", async (text, expected) => {
  expect(await redacted(text, "word_pattern")).toBe(expected);
});

test.each([
  ["ana.b_c@example.com", ERASED_EMAIL],
  ['"ANA.B_C@example.com".', `"${ERASED_EMAIL}".`],
  ["?to=for%20ana.b_c%40example.com", `?to=for%20${ERASED_EMAIL}`],
  ["?next=%3Fto%3Dfor%2520ana.b_c%2540example.com", `?next=%3Fto%3Dfor%2520${ERASED_EMAIL}`],
  [String.raw`"\nana.b_c@example.com"`, String.raw`"\n${ERASED_EMAIL}"`],
  [String.raw`"\u003cana.b_c@example.com\u003e"`, String.raw`"\u003c${ERASED_EMAIL}\u003e"`],
  ...[
    "juliana.b_c@example.com",
    "juli+ana.b_c@example.com",
    "?to=juli%2Bana.b_c%40example.com",
    "?to=juli%2Dana.b_c%40example.com",
    "ana.b_c@example.com.my",
    "ana.b_c@example.com-mail.net",
  ].map((text) => [text, text]),
] as [string, string][])("in a record of others %s becomes %s", async (text, expected) => {
  expect(await redacted(text, "address_pattern")).toBe(expected);
});

test("a shop's references that hold the address go with their payer, and those of other payers stay", async () => {
  const office = await newOffice();
  const [ana, juliana] = ["ana@example.com", "juliana@example.com"];
  const texts = (email: string) => ({
    ...{ email, title: `Hello.${email}`, description: `-${email}`, send_email: true },
    ...{ reference: `INV-17-${email}`, reference_2: `sub_${email}` },
    redirect_url: `https://shop.example/?to=inv%2B${encodeURIComponent(email)}`,
  });
  const [hers, theirs] = [await newLink(office, texts(ana)), await newLink(office, texts(juliana))];
  const everything = async (id: string) => [
    data<PaymentLink>(await keyCall(office, "GET", `/payment-links/${id}`)),
    data(await keyCall(office, "GET", `/payments?payment_link_id=${id}`)),
    data(await staffCall(office, "GET", `/payment-links/${id}/timeline`)),
    ...(await mailsOf(id)),
  ];
  const mailsOf = async (id: string) => {
    const { data: list } = data<{ data: Array<{ _id: string }> }>(
      await staffCall(office, "GET", `/mails?payment_link_id=${id}`),
    );
    return Promise.all(
      list.map(async ({ _id }) => data(await staffCall(office, "GET", `/mails/${_id}`))),
    );
  };
  for (const id of [hers, theirs]) {
    await pay(office, id);
    await mailed(id, 2);
  }
  const before = await everything(theirs);
  await erasePayer(office.shop.ctx, ana);
  expect(await everything(theirs)).toEqual(before);
  const after = await everything(hers);
  expect(after[0]).toMatchObject({
    ...{ title: ERASED_EMAIL, description: ERASED_EMAIL },
    ...{ reference: ERASED_EMAIL, reference_2: ERASED_EMAIL },
    redirect_url: `https://shop.example/?to=${ERASED_EMAIL}`,
  });
  expect(JSON.stringify(after)).not.toMatch(/\bana|INV-17/i);
  expect(await mailsOf(hers)).toMatchObject([{ text: ERASED_TEXT }, { text: ERASED_TEXT }]);
  const found = await keyCall(office, "GET", "/payment-links?q=ana@example.com");
  expect(data<{ data: PaymentLink[] }>(found).data.map(({ _id }) => _id)).toEqual([theirs]);
});

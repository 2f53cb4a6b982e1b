import fc from "fast-check";
import * as z from "zod";
import { describe, expect, test } from "vitest";
import { signedText } from "@/lib/flows/checkout/return";
import { staffEndpoints } from "./all";
import { endpoints } from "./programs";
import { PaymentLinkInput } from "./payment-links";
import { check } from "./messages";

const multiLine = new Set(["description", "note", "notes", "reason"]);
// Secrets are compared, never shown; ids are looked up.
const notText = /password|^token$|^(recovery_)?code$|^invitation$|_id$/;

/** Every field of every body that takes free text, with the schema it is declared by. */
const textFields = [...endpoints, ...staffEndpoints].flatMap(({ id, body }) => {
  if (!(body instanceof z.ZodObject)) return [];
  return Object.entries(body.shape as Record<string, z.ZodType>)
    .filter(([name, schema]) => !notText.test(name) && schema.safeParse("Some text").success)
    .map(([name, schema]) => ({ field: `${id}.${name}`, name, schema }));
});
// A webhook endpoint's description is a label of a few words.
const takesLines = ({ field, name }: (typeof textFields)[number]) =>
  multiLine.has(name) && !/WebhookEndpoint/.test(field);

const refused = [
  ..."\t\n\r\u0007\u001b\u001f\u007f\u0080\u0085\u009f",
  ..."\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069",
];

test("the bodies have text fields of both kinds", () => {
  expect(textFields.filter(takesLines).length).toBeGreaterThan(5);
  expect(textFields.filter((field) => !takesLines(field)).length).toBeGreaterThan(15);
});

describe.each(textFields.filter((field) => !takesLines(field)))("$field", ({ schema }) => {
  test.each(refused.map((mark) => JSON.stringify(mark)))("refuses %s inside", (mark) => {
    const { error } = schema.safeParse(`a${JSON.parse(mark)}b`);
    expect(error?.issues[0]).toMatchObject({ code: "custom", params: { rule: "characters" } });
  });
  test("takes the marks of right-to-left text, and blanks of all kinds", () => {
    for (const text of ["a\u200eb", "a\u200fb", "a\u00a0b", "שלום world"])
      expect(schema.safeParse(text).data).toBe(text);
  });
});

test.each(textFields.filter(takesLines))("$field keeps line breaks", ({ schema }) => {
  expect(schema.safeParse("first\r\n\tsecond").data).toBe("first\r\n\tsecond");
});

test("a text that is too long and holds control characters gets both sentences", () => {
  const body = { email: "ana@example.com", currency: "MYR", amount: 500 };
  expect(check(PaymentLinkInput, { ...body, title: `\u0007${"a".repeat(50)}` })).toEqual({
    ok: false,
    errors: {
      title: [
        "The title must not be greater than 50 characters.",
        "The title must not contain control characters.",
      ],
    },
  });
});

test("what the return hash is made over can be read in one way only", () => {
  const value = fc.oneof(
    fc.string({ unit: fc.constantFrom(..."\n\r=ab_2é") }),
    fc.constantFrom("A\npayment_link_reference_2=B", "B\npayment_link_reference_2=C", "\n", "="),
  );
  const names = ["payment_link_reference", "payment_link_reference_2", "payment_time"] as const;
  fc.assert(
    fc.property(value, value, value, (...values) => {
      const lines = signedText(names.map((name, at) => [name, values[at] ?? ""])).split("\n");
      expect(lines).toEqual(
        names.map((name, at) => `${name}=${(values[at] ?? "").replaceAll("\n", " ")}`),
      );
    }),
  );
});

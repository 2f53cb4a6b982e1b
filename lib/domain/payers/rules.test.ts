import fc from "fast-check";
import { expect, test } from "vitest";
import { newDataKey } from "@/lib/kernel/data-keys";
import {
  addressesIn,
  ERASED_EMAIL,
  ERASED_TEXT,
  keyIdOf,
  keyIdsIn,
  openContent,
  openFields,
  payerDigest,
  sealContent,
  sealFields,
} from "./rules";

const ana = { id: "a", key: newDataKey() };
const ben = { id: "b", key: newDataKey() };
const keys = new Map([
  ["ana@example.com", ana],
  ["ben@example.com", ben],
]);
const all = new Map([ana, ben].map(({ id, key }) => [id, key]));

const data = {
  _id: "1",
  email: "Ana@Example.com",
  phone_no: "+60 12",
  title: "Order",
  description: "for ana@example.com",
  redirect_url: "https://shop.example/?to=ANA%40example.com",
  reference: null,
  amount: 500,
  payment_method: { brand: "visa", last4: "4242", exp: "01/2040" },
  payment_links: [{ _id: "2", email: "ben@example.com", phone_no: "7" }],
  package: { name: "Gold" },
};

test("sealed data opens to what it was", () => {
  const sealed = sealFields(data, keys);
  const text = JSON.stringify(sealed).toLowerCase();
  for (const secret of ["example.com", "+60 12", "4242", "%40"]) expect(text).not.toContain(secret);
  expect(sealed).toMatchObject({
    _id: "1",
    title: "Order",
    amount: 500,
    package: { name: "Gold" },
  });
  expect(openFields(sealed, all)).toEqual(data);
  expect(JSON.stringify(openFields(sealed, all))).toBe(JSON.stringify(data));
});

test("an address is sealed in addresses of pages too, whatever signs are percent-encoded there", () => {
  const signs = "a&b/c+d=e@example.com";
  const of = new Map([[signs, ana]]);
  for (const url of [
    `https://shop.example/?to=${encodeURIComponent(signs)}`,
    "https://shop.example/?to=A%26b%2fC%2Bd%3de%40Example.com",
    "https://shop.example/?to=a%26b/c+d=e@example.com",
    `https://shop.example/#${signs}`,
  ])
    expect(keyIdsIn(sealFields({ redirect_url: url }, of))).toEqual(["a"]);
  expect(sealFields({ title: "a%26b@example.com" }, of)).toEqual({ title: "a%26b@example.com" });
});

test("each payer has fields of their own", () => {
  const sealed = sealFields(data, keys);
  expect(new Set(keyIdsIn(sealed))).toEqual(new Set(["a", "b"]));
  expect(addressesIn(data)).toEqual(["ana@example.com", "ben@example.com"]);
  expect(openFields(sealed, new Map([["b", ben.key]]))).toEqual({
    ...data,
    email: ERASED_EMAIL,
    phone_no: null,
    description: ERASED_TEXT,
    redirect_url: null,
    payment_method: null,
  });
});

test.each([
  "c/o Ana@Example.com",
  "for ana@example.com,ben@example.com  now",
  "ana%40example.com\n@ Acme",
])("of %j in a payer's fields, what names another payer is found without a key", (text) => {
  const record = { email: "ben@example.com", name: text, phone_no: text, title: text };
  const sealed = sealFields(record, new Map([["ben@example.com", ben]]));
  expect(openFields(sealed, all)).toEqual(record);
  for (const field of [sealed.name, sealed.phone_no])
    expect(JSON.stringify(field)).toMatch(/ana(@|%40)example\.com/i);
  const erased = JSON.parse(
    JSON.stringify(sealed).replaceAll(/ana(@|%40)example\.com/gi, ERASED_EMAIL),
  ) as typeof record;
  expect(openFields(erased, all).name).toBe(
    text.replaceAll(/ana(@|%40)example\.com/gi, ERASED_EMAIL),
  );
  expect(openFields(sealed, new Map())).toMatchObject({ name: null, phone_no: null });
});

test("an address that ends like a payer's is another one, and the payer's own is sealed", () => {
  const na = { id: "n", key: newDataKey() };
  const of = new Map([["na@example.com", na]]);
  const sealed = (text: string) =>
    JSON.stringify(sealFields({ email: "na@example.com", name: text }, of));
  for (const other of [
    "ana@example.com",
    "na@example.com.my",
    "x+na@example.com",
    "e-na@example.com",
  ])
    expect(sealed(`c/o ${other}`)).toContain(other);
  for (const own of [
    "na@example.com.",
    "<na@example.com>",
    "mailto:na@example.com",
    "to=na%40example.com",
  ])
    expect(sealed(`c/o ${own}`)).not.toMatch(/na(@|%40)/);
});

test("a word stays readable exactly where something is left of it without the payer's own address", () => {
  const own = /(?<![\p{L}\p{N}._+%-])na@example\.com(?![\p{L}\p{N}-]|\.[\p{L}\p{N}])/gu;
  const of = new Map([["na@example.com", { id: "n", key: newDataKey() }]]);
  const pieces = ["na@example.com", "NA%40example.com", "ben@example.com", "a", "é", "𐐀", "7"];
  const signs = ["@", ".", "-", "_", "+", "%", "%40", "/", "=", "?", "😀", "\ud801", "\udc00"];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces, ...signs), { minLength: 1 }), (parts) => {
      const word = parts.join("");
      const name = (sealFields({ email: "na@example.com", name: word }, of) as { name: unknown })
        .name;
      const [, , ...readable] = String((name as { sealed: string }).sealed).split(" ");
      const plain = word.replace(/%([2-7][0-9a-f])/gi, (_, code: string) =>
        String.fromCharCode(Number.parseInt(code, 16)),
      );
      const names = /@|%40/.test(word) && plain.toLowerCase().replaceAll(own, "").includes("@");
      expect(readable).toEqual(names ? [word] : []);
    }),
    { numRuns: 2_000 },
  );
});

test("data without an address, and data from before, stay as they are", () => {
  expect(sealFields({ _id: "1", phone_no: "7" }, new Map())).toEqual({ _id: "1", phone_no: "7" });
  expect(openFields(data, new Map())).toEqual(data);
});

test("content opens with its key only", () => {
  const sealed = sealContent("Dear Ana", ana);
  expect(keyIdOf(sealed)).toBe("a");
  expect(openContent(sealed, all)).toBe("Dear Ana");
  expect(openContent(sealed, new Map())).toBeNull();
  expect(keyIdOf("<!doctype html>")).toBeUndefined();
  expect(openContent("<!doctype html>", new Map())).toBe("<!doctype html>");
});

test("a payer has one digest in a business, whatever the case", () => {
  expect(payerDigest(1, " Ana@Example.com")).toBe(payerDigest(1, "ana@example.com"));
  expect(payerDigest(1, "ana@example.com")).not.toBe(payerDigest(2, "ana@example.com"));
});

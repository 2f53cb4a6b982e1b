import { expect, test } from "vitest";
import { PackageUpdate, packageExample } from "@/lib/contract/packages";
import { PaymentLinkUpdate, paymentLinkExample } from "@/lib/contract/payment-links";
import { changesBetween, formValues, merged } from "./edits";

test.each([
  ["payment link", PaymentLinkUpdate, paymentLinkExample, ["send_email", "version"]],
  ["package", PackageUpdate, packageExample, ["version"]],
])(
  "the form of a %s sends back every field that a PUT takes, shown or not",
  (_, schema, record, without) => {
    const expected = Object.keys(schema.shape).filter((name) => !without.includes(name));
    expect(Object.keys(formValues(schema, record)).sort()).toEqual(expected.sort());
  },
);

test("names what others changed, and what was written here instead", () => {
  const began = { title: "Chairs", amount: 1000, description: "" };
  const now = { title: "Chairs", amount: 2000, description: "Six of them" };
  expect(changesBetween(began, now, { ...began, title: "Tables", amount: 1500 })).toEqual([
    { name: "amount", before: 1000, after: 2000, mine: 1500 },
    { name: "description", before: "", after: "Six of them" },
  ]);
  expect(changesBetween(began, began, { ...began, title: "Tables" })).toEqual([]);
});

test("adopting another person's changes keeps the fields that they did not change", () => {
  const mine = { title: "Tables", amount: 1500 };
  const changes = [{ name: "amount", before: 1000, after: 2000, mine: 1500 }];
  expect(merged(mine, changes)).toEqual({ title: "Tables", amount: 2000 });
});

import { expect, test } from "vitest";
import { aboutOf, pageOf } from "./event-words";

test("an event leads to what it is about, unless that is gone", () => {
  expect(pageOf({ type: "payment_link.paid", data: { _id: "a1" } })).toBe("/payment-links/a1");
  expect(pageOf({ type: "tokenization.activated", data: { _id: "b2" } })).toBe("/tokens/b2");
  expect(pageOf({ type: "payment_link.deleted", data: { _id: "a1" } })).toBeNull();
});

test("it is named by its title, name, reference or address, whichever it has", () => {
  expect(aboutOf({ data: { _id: "a1", title: "Invoice 7", reference: "INV-7" } })).toBe(
    "Invoice 7",
  );
  expect(aboutOf({ data: { _id: "a1", reference: null, email: "ana@example.com" } })).toBe(
    "ana@example.com",
  );
  expect(aboutOf({ data: {} })).toBe("–");
});

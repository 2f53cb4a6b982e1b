import * as z from "zod";
import { expect, test } from "vitest";
import { check } from "@/lib/contract/messages";
import { PaymentLinkInput } from "@/lib/contract/payment-links";
import { contractResolver } from "./contract-resolver";

const resolve = async (values: Record<string, unknown>) =>
  contractResolver(PaymentLinkInput)(values, undefined, {
    fields: {},
    shouldUseNativeValidation: false,
  });

test("a form refuses what the API refuses, in the same words", async () => {
  for (const values of [
    {},
    { email: "", currency: "", amount: "", title: " " },
    {
      email: "x",
      currency: "XXX",
      amount: "12.345",
      title: "t".repeat(51),
      expires_at: "2001-01-01T00:00:00Z",
      redirect_url: "javascript:alert(1)",
    },
    { email: "a@b.co", currency: "MYR", amount: 4, title: "T" },
    {
      email: "a@b.co",
      currency: "MYR",
      amount: 500,
      title: "T",
      expires_at: "3000-01-01T00:00:00.000Z",
    },
  ]) {
    const checked = check(PaymentLinkInput, values);
    const { errors } = await resolve(values);
    const said = Object.fromEntries(
      Object.entries(errors).map(([name, error]) => [name, error?.message]),
    );
    expect(said).toEqual(
      checked.ok
        ? {}
        : Object.fromEntries(
            Object.entries(checked.errors).map(([name, texts]) => [name, texts.join(" ")]),
          ),
    );
  }
});

test("what passes is what the API would take, blanks left out", async () => {
  const { values } = await resolve({
    email: " a@b.co ",
    currency: "MYR",
    amount: 1250,
    title: "T",
    reference: "",
    description: null,
  });
  expect(values).toEqual({ email: "a@b.co", currency: "MYR", amount: 1250, title: "T" });
});

test("blanks of a password are part of it, under each name that a form gives it, and other texts are trimmed", async () => {
  const schema = z.object({ name: z.string(), password: z.string(), new_password: z.string() });
  const values = { name: " Ana ", password: " old one ", new_password: " new one " };
  const options = { fields: {}, shouldUseNativeValidation: false };
  expect((await contractResolver(schema)(values, undefined, options)).values).toEqual({
    ...values,
    name: "Ana",
  });
});

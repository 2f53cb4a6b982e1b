import { expect, test } from "vitest";
import { unverified } from "@/lib/kernel/problem";
import { acceptInvitation, lookUpInvitation, setUpInstall } from "./account";
import { createBatch } from "./batches";
import type { Endpoint } from "./endpoint";
import { failuresOf, staffFailures } from "./failures";
import { getMe, updateMe } from "./me";
import { listPackages } from "./packages";
import { createPaymentLink } from "./payment-links";
import { listMembers } from "./team";

const declared = (endpoint: Endpoint) =>
  failuresOf(endpoint).map(({ status, code }) => `${status} ${code}`);
const staff = ["400 malformed_request", "403 forbidden", "403 email_unverified"];

test.each<[string, Endpoint, string[]]>([
  ["a list", listPackages, staff],
  ["a list for staff", listMembers, staff],
  ["a write", createPaymentLink, [...staff, "403 cross_origin"]],
  ["a write of one's own", updateMe, ["403 cross_origin"]],
  ["a batch", createBatch, ["409 gateway_not_connected"]],
  ["the first business", setUpInstall, ["403 forbidden"]],
  ["reading an invitation", lookUpInvitation, ["404 not_found"]],
  ["accepting an invitation", acceptInvitation, ["401 unauthenticated", "404 not_found"]],
  ["accepting it twice", acceptInvitation, ["409 conflict"]],
])("%s declares what it can answer", (_, endpoint, answers) => {
  expect(declared(endpoint)).toEqual(expect.arrayContaining(answers));
});

test("an endpoint declares no answer that it cannot give, and each of its codes once", () => {
  expect(declared(getMe)).not.toContain("403 email_unverified");
  expect(declared(listPackages)).not.toContain("403 cross_origin");
  expect(declared(lookUpInvitation)).not.toContain("401 unauthenticated");
  const answers = declared(createPaymentLink);
  expect(answers).toEqual([...new Set(answers)]);
});

test("the refusal of an unconfirmed address is declared in the words that it has", () => {
  const { message, code } = unverified();
  expect(staffFailures.find((one) => one.code === code)?.message).toBe(message);
});

import { expect, test } from "vitest";
import { staffEndpoints } from "@/lib/contract/all";
import type { AuditEntry } from "@/lib/contract/business";
import { endpoints } from "@/lib/contract/programs";
import { actionOptions, actionWords, actorWords, detailWords, recordOf } from "./audit-words";

test("an entry is shown in words, an unknown one by its name", () => {
  expect(actionWords("createApiKey")).toBe("Create an API key");
  expect(actionWords("closePayment")).toBe("Resolve a payment (before 1.0)");
  expect(actionWords("signed_in")).toBe("Signed in");
  expect(actionWords("something_new")).toBe("something_new");
});

test("who did it: a person by name, the operator, or a deleted person", () => {
  expect(actorWords({ kind: "person", id: "1", name: "Ana Costa", email: "ana@example.com" })).toBe(
    "Ana Costa",
  );
  expect(actorWords({ kind: "operator", id: null, name: null, email: null })).toBe("The operator");
  expect(actorWords({ kind: "person", id: "1", name: null, email: null })).toBe("A deleted person");
});

test("what was sent and what changed are in one line", () => {
  expect(detailWords({ fields: ["name", "role"] })).toBe("fields: name, role");
  expect(detailWords({ role: { before: "staff", after: "admin" } })).toBe(
    "role: before staff, after admin",
  );
  expect(detailWords({ redacted: [3, 7], redacted_hashes: ["Zm9v", "YmFy"] })).toBe(
    "redacted: 3, 7",
  );
  expect(detailWords({})).toBe("");
});

test("every action in words can be filtered by, and an entry leads to the record that it is about", () => {
  const values = actionOptions.map(({ value }) => value);
  expect(values).toEqual(expect.arrayContaining(["signed_in", "createApiKey", "createRefund"]));
  expect(new Set(values).size).toBe(values.length);
  const labels = actionOptions.map(({ label }) => label);
  expect(labels.filter((label, at) => labels.indexOf(label) !== at)).toEqual([]);
  const id = "6740f5d81b2c9e7a04f3d518";
  const of = (action: string, object_id: string | null = id) =>
    recordOf({ action, object_id } as AuditEntry);
  expect(of("updatePaymentLink")).toBe(`/payment-links/${id}`);
  expect(of("chargeToken")).toBe(`/payments/${id}`);
  expect(of("updateCustomer")).toBe(`/customers/${id}`);
  expect(of("undoBatch")).toBe(`/payment-links/batches/${id}`);
  // It answers with a delivery.
  expect(of("testWebhookEndpoint")).toBeUndefined();
  expect(of("createRefund")).toBeUndefined();
  expect(of("createApiKey")).toBeUndefined();
  expect(of("deletePaymentLink")).toBeUndefined();
  expect(of("updatePaymentLink", null)).toBeUndefined();
});

test("an entry of a call that answers with a record leads to it, where such records have a page", () => {
  const all = [...endpoints, ...staffEndpoints];
  const read = new Map(
    all.flatMap(({ method, path, response }) =>
      method === "GET" && path.endsWith("}") ? [[response, path] as const] : [],
    ),
  );
  const object_id = "6740f5d81b2c9e7a04f3d518";
  const without = all.flatMap(({ id, method, response }) =>
    method === "GET" || method === "DELETE" || recordOf({ action: id, object_id } as AuditEntry)
      ? []
      : (read.get(response) ?? []),
  );
  expect(new Set(without)).toEqual(
    new Set(["/test-clocks/{test_clock_id}", "/gateway-connections/{connection_id}"]),
  );
});

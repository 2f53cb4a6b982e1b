import { expect, test } from "vitest";
import { actionWords, actorWords, detailWords } from "./audit-words";

test("an entry is shown in words, an unknown one by its name", () => {
  expect(actionWords("createApiKey")).toBe("Create an API key");
  expect(actionWords("closePayment")).toBe(actionWords("resolvePayment"));
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
  expect(detailWords({})).toBe("");
});

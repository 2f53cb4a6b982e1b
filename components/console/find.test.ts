import { expect, test, vi } from "vitest";
import type { Found } from "@/lib/contract/search";
import { find } from "./find";

let found: Found[] = [];
vi.mock("@/lib/client/call", () => ({ call: async () => found }));

const record = (matched: Found["matched"], at: number): Found => ({
  kind: "payment_link",
  _id: String(at).padStart(24, "0"),
  title: "Satay",
  detail: "ana@example.com",
  status: "Active",
  amount: 12_500,
  currency: "MYR",
  matched,
});

test.each([
  ["125", ["amount", "text", "text", "text", "text"], "/payment-links?q=125"],
  ["125", ["text", "text"], undefined],
  ["125.00 MYR", ["amount", "amount", "amount", "amount", "amount"], undefined],
] as const)(
  "a search for %s that finds records by %j leads to the list where that finds some too",
  async (text, matched, all) => {
    found = matched.map(record);
    const scope = { business: "1", mode: "test" } as const;
    const [group] = await find(text, scope, new AbortController().signal);
    expect(group?.rows).toHaveLength(matched.length);
    expect(group?.all).toBe(all);
  },
);

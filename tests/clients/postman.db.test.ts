import { afterAll, expect, test } from "vitest";
import { closePool } from "@/db/client";
import { endpoints } from "@/lib/contract/programs";
import { programFiles } from "@/lib/contract/all";
import { buildOpenApi } from "@/lib/http/openapi";
import { api, newTenant } from "../contract/setting";
import { importIntoPostman } from "./postman.mjs";

afterAll(closePool);

type Header = { key: string; value: string; disabled?: boolean };
type Item = {
  name: string;
  item?: Item[];
  request?: { method: string; url: { path: string[] }; header: Header[] };
};

const requestsOf = (items: readonly Item[]): Item[] =>
  items.flatMap((item) => (item.item ? requestsOf(item.item) : [item]));

const collection = (await importIntoPostman(JSON.stringify(buildOpenApi()))) as Item;
const requests = requestsOf(collection.item ?? []);

/** Sends a request of the collection as Postman would, with a body that a person wrote. */
async function send(name: string, key: string, body: unknown) {
  const request = requests.find((one) => one.name === name)?.request;
  if (!request) throw new Error(`the collection has no request ${name}`);
  const headers = Object.fromEntries(
    request.header
      .filter(({ disabled }) => !disabled)
      .map(({ key: name, value }) => [name.toLowerCase(), value]),
  );
  return api(request.method, `/${request.url.path.join("/")}`, { key, headers, body });
}

test("a collection that Postman imports has every endpoint", () => {
  expect(requests.map(({ name }) => name).sort()).toEqual(
    [...endpoints, ...programFiles].map(({ summary }) => summary).sort(),
  );
});

test("two different writes of an imported collection succeed, as many of the same kind", async () => {
  const { keys } = await newTenant();
  const link = { email: "ana@example.com", currency: "MYR", amount: 1_250, title: "Satay" };
  const ids = new Set<unknown>();
  for (const amount of [1_250, 1_300, 1_300]) {
    const { status, headers, body } = await send("Create a payment link", keys.test, {
      ...link,
      amount,
    });
    expect([status, headers.get("idempotent-replayed")]).toEqual([200, null]);
    ids.add((body.data as { _id: string })._id);
  }
  expect(ids.size).toBe(3);
  const made = await send("Create a package", keys.test, {
    name: "Gold",
    amount: 4_900,
    currency: "MYR",
    frequency: "monthly",
    date_charge_start: "2031-01-31",
  });
  expect(made.status).toBe(200);
});

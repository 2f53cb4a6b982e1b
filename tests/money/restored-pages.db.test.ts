import { afterAll, afterEach, beforeEach, expect, test, vi } from "vitest";
import { closePool } from "@/db/client";
import { lastRestore } from "@/db/settings";
import { begin } from "@/lib/flows/checkout/steps";
import { update } from "@/lib/flows/link-change/steps";
import { simulatorGateway } from "@/lib/gateways/simulator/adapter";
import { script } from "@/lib/gateways/simulator/scripting";
import { newLink, newShop, paymentsOf, type Shop } from "./setting";

vi.mock(import("@/db/settings"), { spy: true });

afterEach(() => {
  vi.restoreAllMocks();
  vi.mocked(lastRestore).mockReset();
});
afterAll(closePool);

let shop: Shop;
let linkId: string;

/** A payer has pressed pay, and no page of the attempt is known here. */
beforeEach(async () => {
  shop = await newShop();
  linkId = (await newLink(shop))._id;
  await script(shop.account.connection.id, "begin", "error");
  expect(await begin(shop.ctx, linkId, 1)).toEqual({ kind: "no_answer" });
});

const restoredSince = () =>
  vi.mocked(lastRestore).mockResolvedValue(new Date(Date.now() + 86_400_000).toISOString());

const edit = () =>
  update(shop.ctx, linkId, {
    ...{ email: "payer@example.com", currency: "MYR", amount: 2_000, title: "Satay for three" },
  });

test("a page that a restored backup may lack is not opened again, and holds its link, until the gateway is asked", async () => {
  restoredSince();
  const opened = vi.spyOn(simulatorGateway, "beginPayment");
  expect(await begin(shop.ctx, linkId, 1)).toEqual({ kind: "checking" });
  expect(opened).not.toHaveBeenCalled();
  await expect(edit()).rejects.toMatchObject({ status: 409, code: "conflict" });
  expect((await paymentsOf(shop)).map(({ status }) => status)).toEqual(["submitting"]);
});

test("without a restore the same press opens the page", async () => {
  expect((await begin(shop.ctx, linkId, 1)).kind).toBe("redirect");
});

test("without a restore the same link is edited at once", async () => {
  expect((await edit()).version).toBe(2);
  expect((await paymentsOf(shop)).map(({ status }) => status)).toEqual(["cancelled"]);
});

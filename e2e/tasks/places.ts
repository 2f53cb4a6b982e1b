import type { Page } from "@playwright/test";
import type { BulkReport } from "@/lib/contract/bulk";
import { newId } from "@/lib/kernel/ids";
import type { Shop } from "../shop";
import { expect } from "../fixtures";
import type { Hand } from "./hand";

export const links = "Payment links";
export const someone = () => `p${newId().slice(-8)}@example.com`;
export const room = (page: Page, name: string) =>
  page.getByRole("navigation", { name: "Console" }).getByRole("link", { name, exact: true });
export const heading = (page: Page, name: string | RegExp) =>
  page.getByRole("heading", { level: 1, name });
export const button = (page: Page, name: string | RegExp) =>
  page.getByRole("button", { name, exact: typeof name === "string" });
export const bar = (page: Page) => page.getByRole("region", { name: "Selected payment links" });
export const openPalette = async (hand: Hand) => {
  await hand.press("Control+k");
  await expect(hand.page.getByRole("dialog").getByRole("combobox")).toBeFocused();
};
export const bulk = async (shop: Shop, rows: object[]) =>
  (await shop.api.ok<BulkReport>("POST", "/payment-links/bulk", { rows })).rows.flatMap(
    ({ payment_link: link }) => (link ? [link] : []),
  );

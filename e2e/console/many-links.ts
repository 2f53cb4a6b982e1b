import type { Locator, Page } from "@playwright/test";
import type { BulkReport } from "@/lib/contract/bulk";
import type { PaymentLink } from "@/lib/contract/payment-links";
import { linkInput, linkNow, type Shop } from "../shop";

/** The heading and the name of the list of payment links. */
export const list = "Payment links";

/** Links of an import, the oldest first. */
export const manyLinks = async (
  shop: Shop,
  count: number,
  more: object = {},
): Promise<PaymentLink[]> =>
  (
    await shop.api.ok<BulkReport>("POST", "/payment-links/bulk", {
      rows: Array.from({ length: count }, (_, made) => ({
        ...linkInput,
        title: `Kopi ${String(made).padStart(3, "0")}`,
        reference: undefined,
        ...more,
      })),
    })
  ).rows.flatMap(({ payment_link: link }) => (link ? [link] : []));

export const tick = (page: Page, title: string): Locator =>
  page.getByRole("checkbox", { name: `Select ${title}`, exact: true });
export const tickPage = (page: Page): Locator =>
  page.getByRole("checkbox", { name: "Select all payment links on this page" });
/** The bar of the selected links. */
export const bar = (page: Page): Locator =>
  page.getByRole("region", { name: "Selected payment links" });
export const statuses = async (shop: Shop, ids: readonly string[]): Promise<string[]> =>
  (await Promise.all(ids.map((id) => linkNow(shop, id)))).map(({ status }) => status);

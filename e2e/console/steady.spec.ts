import { csv } from "./csv";
import { expect, test } from "./fixtures";
import { arrive, gate } from "./screen";

for (const width of [360, 1440])
  test(`what can be pressed after an import stays in its place as the progress of its mails arrives, ${width} px wide`, async ({
    page,
    at,
  }) => {
    await page.setViewportSize({ width, height: 900 });
    await arrive(page, at("/payment-links/import"), "Import payment links");
    await page
      .getByLabel("Spreadsheet")
      .setInputFiles(
        csv([
          "email,title,currency,amount_decimal,send_email",
          "bo@example.com,Order 8,MYR,10.00,true",
        ]),
      );
    const { open, opened } = gate();
    await page.route("**/api/batches?*", async (route) => {
      await opened;
      await route.continue();
    });
    await page.getByRole("button", { name: "Create 1 payment link" }).click();
    const next = page.getByRole("link", { name: "See the payment links" });
    await expect(next).toBeVisible();
    const before = await next.boundingBox();
    open();
    const strip = page.getByRole("list", { name: "Changes under way" });
    await expect(strip).toContainText("Starts in");
    expect(await next.boundingBox()).toEqual(before);
  });

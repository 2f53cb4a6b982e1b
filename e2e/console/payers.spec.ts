import { newLink, payer } from "../shop";
import { expect, test } from "./fixtures";
import { arrive } from "./screen";

test("a payer is erased after a look at what follows and their address as confirmation", async ({
  page,
  shop,
  at,
  audit,
}) => {
  const link = await newLink(shop);
  await arrive(page, at("/settings/payers"), "Payers");
  await page.getByLabel("E-mail").fill(payer.toUpperCase());
  await page.getByRole("button", { name: "Show records" }).click();
  const records = page.getByRole("region", { name: /^Records of/ });
  await expect(records.getByText(/^Payment links: \d+, 1 to be cancelled$/)).toBeVisible();
  await expect(records.getByText(/^Backups and exports/)).toBeVisible();
  const erase = records.getByRole("button", { name: "Erase payer" });
  await expect(erase).toBeDisabled();
  await audit(page);
  await records.getByLabel("Type the address to confirm").fill(payer);
  await erase.click();
  await expect(page.getByRole("region", { name: "The payer is erased" })).toBeVisible();
  await audit(page);
  expect(await shop.api.ok("GET", `/payment-links/${link._id}`)).toMatchObject({
    email: "erased@payer.invalid",
    status: "Cancelled",
  });
});

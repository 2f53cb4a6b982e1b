import type { Customer } from "@/lib/contract/customers";
import { erasedEmail } from "@/lib/contract/values";
import { newLink, payer } from "../shop";
import { expect, test } from "./fixtures";
import { arrive, goBack } from "./screen";

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
    email: erasedEmail,
    status: "Cancelled",
  });
});

test("an erased payer is on no open page any more, nor on the one that Back leads to", async ({
  page,
  shop,
  at,
}) => {
  await newLink(shop);
  const { data } = await shop.api.ok<{ data: Customer[] }>("GET", `/customers?email=${payer}`);
  const address = at(`/customers/${data[0]?._id}`);
  const [other, edit] = [await page.context().newPage(), await page.context().newPage()];
  await arrive(other, address, payer);
  await arrive(edit, `${address}/edit`, "Edit customer");
  await page.bringToFront();
  await arrive(page, address, payer);
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Erase this payer…" }).click();
  await page.getByRole("button", { name: "Show records" }).click();
  const records = page.getByRole("region", { name: /^Records of/ });
  await records.getByLabel("Type the address to confirm").fill(payer);
  await records.getByRole("button", { name: "Erase payer" }).click();
  await expect(page.getByRole("region", { name: "The payer is erased" })).toBeVisible();
  await goBack(page);
  for (const one of [page, other, edit]) {
    await one.bringToFront();
    await expect(one.getByRole("main").getByText("Not found")).toBeVisible();
    await expect(one.getByRole("main").getByText(payer)).toHaveCount(0);
  }
});

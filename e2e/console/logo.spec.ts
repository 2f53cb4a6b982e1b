import { pictureOf, pngOf } from "@/tests/images";
import { newLink } from "../shop";
import { expect, test } from "./fixtures";
import { arrive } from "./screen";

const file = (name: string, mimeType: string, buffer: Buffer) => ({ name, mimeType, buffer });

test("a logo is chosen, shown in the preview, beside the business's name and to the payer, and removed again", async ({
  page,
  shop,
  at,
  audit,
}) => {
  const link = await newLink(shop);
  await arrive(page, at("/settings"), "Business");
  const card = page.getByRole("region", { name: "Logo", exact: true });
  await card.getByLabel("Logo file").setInputFiles(file("logo.png", "image/png", pngOf(240, 80)));
  await expect(page.getByText("Logo saved")).toBeVisible();
  const shown = card.getByRole("img", { name: `Logo of ${shop.name}` });
  await expect(shown).toBeVisible();
  await expect
    .poll(() => shown.evaluate((image: HTMLImageElement) => image.naturalWidth))
    .toBe(240);
  await audit(page);

  await page.goto(link.payment_url);
  const onPage = page.locator("header img");
  await expect
    .poll(() => onPage.evaluate((image: HTMLImageElement) => [image.complete, image.naturalWidth]))
    .toEqual([true, 240]);
  await audit(page);

  await arrive(page, at("/settings"), "Business");
  await card.getByRole("button", { name: "Remove logo" }).click();
  await expect(page.getByText("Logo removed")).toBeVisible();
  await expect(shown).toHaveCount(0);
  await page.goto(link.payment_url);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await expect(onPage).toHaveCount(0);
});

test("what is no logo is refused in words, beside the button", async ({ page, at }) => {
  await arrive(page, at("/settings"), "Business");
  const card = page.getByRole("region", { name: "Logo", exact: true });
  const choose = card.getByLabel("Logo file");
  await choose.setInputFiles(
    file("logo.svg", "image/svg+xml", Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'/>")),
  );
  await expect(card.getByRole("alert")).toHaveText("The image must be a PNG, JPEG or WebP file.");
  await choose.setInputFiles(file("logo.jpg", "image/jpeg", await pictureOf("jpeg", 5_000, 100)));
  await expect(card.getByRole("alert")).toHaveText(
    "The image must be 16 to 2048 pixels wide and high.",
  );
  await choose.setInputFiles(file("logo.png", "image/png", Buffer.alloc(300 * 1024)));
  await expect(card.getByRole("alert")).toHaveText(
    "This file has 300 KB; at most 256 KB are taken.",
  );
});

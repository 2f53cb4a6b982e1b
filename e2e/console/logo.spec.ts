import type { Locator } from "@playwright/test";
import { pictureOf, pngOf } from "@/tests/images";
import { newLink } from "../shop";
import { expect, test } from "./fixtures";
import { arrive } from "./screen";

const file = (name: string, mimeType: string, buffer: Buffer) => ({ name, mimeType, buffer });

test("a logo is a field of the form: chosen, seen in the preview, saved or left with the rest, and removed again", async ({
  page,
  shop,
  at,
  audit,
}) => {
  const link = await newLink(shop);
  await arrive(page, at("/settings"), "Business");
  const form = page.getByRole("form", { name: "Business" });
  const field = form.getByRole("group", { name: "Logo" });
  const shown = field.getByRole("img", { name: `Logo of ${shop.name}` });
  const width = (image: Locator) =>
    image.evaluate(({ naturalWidth }: HTMLImageElement) => naturalWidth);
  const payers = page.locator("header img");
  const save = form.getByRole("button", { name: "Save changes" });
  await field.getByLabel("Logo file").setInputFiles(file("logo.png", "image/png", pngOf(240, 80)));
  await expect(shown).toBeVisible();
  await expect
    .poll(() => width(page.getByRole("region", { name: /^Preview/ }).locator("img.logo")))
    .toBe(240);
  await audit(page);

  // Nothing is saved yet, and leaving asks.
  const other = await page.context().newPage();
  await other.goto(link.payment_url);
  await expect(other.getByRole("heading", { level: 1 })).toBeVisible();
  await expect(other.locator("header img")).toHaveCount(0);
  await other.close();
  await page.getByRole("link", { name: "Payments", exact: true }).first().click();
  const ask = page.getByRole("alertdialog", { name: "Leave without saving?" });
  await ask.getByRole("button", { name: "Keep editing" }).click();
  await field.getByRole("button", { name: "Undo" }).click();
  await expect(shown).toHaveCount(0);

  await field.getByLabel("Logo file").setInputFiles(file("logo.png", "image/png", pngOf(240, 80)));
  await expect(shown).toBeVisible();
  await page.route("**/api/business/logo*", (route) => route.abort("connectionreset"));
  await save.click();
  await expect(form.getByRole("alert")).toBeFocused();
  await expect(shown).toBeVisible();
  await page.unrouteAll();
  await form.getByRole("textbox", { name: "Name" }).fill("Teh Tarik");

  // The logo is saved and the rest fails: both are said, and what is saved is not sent again.
  const sent: string[] = [];
  page.on("request", (request) => request.method() === "PUT" && sent.push(request.url()));
  await page.route("**/api/business", (route) =>
    route.request().method() === "PUT" ? route.abort("connectionreset") : route.fallback(),
  );
  await save.click();
  await expect(
    page.getByRole("region", { name: "Notifications" }).getByText("The logo is saved"),
  ).toBeVisible();
  await expect(form.getByRole("alert")).toBeFocused();
  await expect(shown).toBeVisible();
  await page.unrouteAll();
  await save.click();
  await expect(page.getByText("Payers see it from now on.")).toBeVisible();
  expect(sent.filter((url) => url.includes("/business/logo"))).toHaveLength(1);
  await page.goto(link.payment_url);
  await expect(page.getByText("Teh Tarik").first()).toBeVisible();
  await expect.poll(() => width(payers)).toBe(240);
  await audit(page);

  await arrive(page, at("/settings"), "Business");
  await field.getByRole("button", { name: "Remove logo" }).click();
  await expect(field.getByRole("img")).toHaveCount(0);
  await save.click();
  await expect(page.getByText("Payers see it from now on.")).toBeVisible();
  await page.goto(link.payment_url);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await expect(payers).toHaveCount(0);
});

test("what is no logo is refused in words, at its field", async ({ page, at }) => {
  await arrive(page, at("/settings"), "Business");
  const card = page.getByRole("group", { name: "Logo" });
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

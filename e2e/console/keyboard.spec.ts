import { newLink } from "../shop";
import { expect, test } from "./fixtures";
import { arrive } from "./screen";

test("Ctrl+K finds a record by a part of its e-mail; Escape gives the focus back", async ({
  page,
  shop,
  at,
}) => {
  await newLink(shop, { title: "Another" });
  const link = await newLink(shop, { title: "Found by mail", email: "unusual.person@example.com" });
  await arrive(page, at("/payment-links"), "Payment links");
  const search = page.getByRole("searchbox", { name: "Search payment links" });
  await expect(search).toBeEnabled();
  await search.focus();
  await page.keyboard.press("Control+k");
  const palette = page.getByRole("dialog", { name: "Search" });
  await expect(palette.getByRole("combobox")).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(palette).toBeHidden();
  await expect(search).toBeFocused();
  await page.keyboard.press("Control+k");
  await palette.getByRole("combobox").fill("unusual.per");
  await expect(palette.getByRole("option", { name: /Found by mail/ })).toHaveAttribute(
    "aria-selected",
    "true",
  );
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(new RegExp(`/payment-links/${link._id}`));
});

test("a search that finds more than it shows leads to the list with all of it", async ({
  page,
  shop,
  at,
}) => {
  for (let made = 1; made <= 6; made++) await newLink(shop, { title: `Excursion ${made}` });
  await arrive(page, at(), "Overview");
  await page.keyboard.press("Control+k");
  const palette = page.getByRole("dialog", { name: "Search" });
  await palette.getByRole("combobox").fill("Excursion");
  await expect(palette.getByRole("option", { name: /^Excursion \d/ })).toHaveCount(5);
  await palette.getByRole("option", { name: "All payment links with “Excursion”" }).click();
  await expect(page).toHaveURL(/\/payment-links\?q=Excursion/);
  await expect(page.getByRole("searchbox", { name: "Search payment links" })).toHaveValue(
    "Excursion",
  );
  await expect(page.getByText("Excursion 1")).toBeVisible();
  await page.keyboard.press("Control+k");
  await palette.getByRole("combobox").fill("Excursion 1");
  await expect(palette.getByRole("option", { name: /^Excursion 1/ })).toBeVisible();
  await expect(palette.getByRole("option", { name: /^All payment links/ })).toHaveCount(0);
});

test("a search that failed says so beside the places that it does find, and an early Enter opens none of them", async ({
  page,
  at,
}) => {
  await page.route("**/api/search*", (route) =>
    route.fulfill({
      status: 500,
      json: { message: "Something went wrong on our side.", code: "internal_error", errors: {} },
    }),
  );
  await arrive(page, at(), "Overview");
  await page.keyboard.press("Control+k");
  const palette = page.getByRole("dialog", { name: "Search" });
  await palette.getByRole("combobox").fill("packages");
  await page.keyboard.press("Enter");
  await expect(palette.getByRole("alert")).toHaveText("The search for records failed.");
  await expect(palette.getByRole("option", { name: "Packages" }).first()).toBeVisible();
  await expect(page.getByRole("heading", { name: "Overview", includeHidden: true })).toBeAttached();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/packages$/);
});

test("single keys create, go and help, and none fires while something is written", async ({
  page,
  shop,
  at,
}) => {
  await newLink(shop);
  await arrive(page, at("/payment-links"), "Payment links");
  const search = page.getByRole("searchbox", { name: "Search payment links" });
  await search.click();
  await search.pressSequentially("c?gs");
  await expect(search).toHaveValue("c?gs");
  await expect(page).toHaveURL(/q=c/);
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await page.getByRole("heading", { level: 1 }).click();
  await page.keyboard.press("?");
  const help = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  for (const name of [
    "Create a payment link",
    "Go to Payment links",
    "Go to Subscriptions",
    "Go to Payments",
  ])
    await expect(help.getByText(name, { exact: true })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(help).toBeHidden();
  await page.keyboard.press("c");
  const heading = page.getByRole("heading", { level: 1, name: "New payment link" });
  await expect(heading).toBeVisible();
  // The form has the focus in its first field.
  await expect(page.getByLabel("Title", { exact: true })).toBeFocused();
  await heading.click();
  await page.keyboard.press("g");
  await page.keyboard.press("s");
  await expect(page).toHaveURL(/\/subscriptions$/);
});

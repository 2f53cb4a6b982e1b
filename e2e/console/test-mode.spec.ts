import { createKey } from "@/lib/domain/api-keys/create";
import { Api } from "../api-client";
import { newLink, newShop } from "../shop";
import { expect, test } from "./fixtures";
import { arrive, rowsOf } from "./screen";
import { joinShop } from "./staff";

test("test mode says so on every page and to the payer; live mode does not, and neither lists what is the other's", {
  tag: "@phone",
}, async ({ page, install, staff, isMobile }) => {
  const live = await newShop(install.url, "Both modes", "live");
  await joinShop(staff, live);
  const { secret } = await createKey({ businessId: live.id, mode: "test" }, "browser test");
  expect(secret).toMatch(/^sk_test_/);
  expect(live.key).toMatch(/^sk_live_/);
  const tested = await newLink(
    { ...live, key: secret, api: new Api(install.url, secret) },
    { title: "Only a test" },
  );
  const real = await newLink(live, { title: "For real" });
  const at = (path: string, mode = "test") => `/b/${live.id}/${mode}${path}`;
  const banner = page.getByRole("status").filter({ hasText: "Test mode." });

  const others = [
    ["/tokens", "Tokens"],
    ["/packages", "Packages"],
    ["/subscriptions", "Subscriptions"],
    ["/payments", "Payments"],
    ["/mails", "Mails"],
  ] as const;
  for (const [path, heading] of [
    ["", "Overview"],
    ["/payment-links", "Payment links"],
    ...(isMobile ? [] : others),
  ] as const) {
    await arrive(page, at(path), heading);
    await expect(banner).toBeInViewport();
  }
  await page.goto(at("/payment-links"));
  await expect(rowsOf(page, "Payment links")).toHaveCount(1);
  await expect(rowsOf(page, "Payment links")).toContainText("Only a test");
  await page.goto(tested.payment_url);
  await expect(page.getByRole("status").filter({ hasText: /test mode/i })).toBeVisible();

  await arrive(page, at("/payment-links"), "Payment links");
  if (isMobile) await page.getByRole("button", { name: "Open navigation" }).click();
  await page.getByRole("switch", { name: "Test mode" }).click();
  await expect(page).toHaveURL(new RegExp(`/b/${live.id}/live/payment-links`));
  await expect(banner).toHaveCount(0);
  if (isMobile) await page.keyboard.press("Escape");
  if (isMobile) await expect(page.getByText("Live: real money", { exact: true })).toBeVisible();
  await expect(rowsOf(page, "Payment links")).toHaveCount(1);
  await expect(rowsOf(page, "Payment links")).toContainText("For real");
  if (!isMobile) {
    await page.goto(at("/packages", "live"));
    await page.getByRole("link", { name: "see test mode" }).click();
    await expect(page).toHaveURL(new RegExp(`/b/${live.id}/test/packages`));
    await expect(page.getByRole("link", { name: "see test mode" })).toHaveCount(0);
  }
  await page.goto(real.payment_url);
  await expect(page.getByRole("button", { name: /^Pay / })).toBeVisible();
  await expect(page.getByRole("status").filter({ hasText: /test mode/i })).toHaveCount(0);
});

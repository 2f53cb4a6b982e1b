import { db, pool } from "@/db/client";
import { insertConnection } from "@/lib/domain/gateway-connections/rows";
import { newToken } from "@/lib/kernel/ids";
import { seal } from "@/lib/kernel/secrets";
import { expect, signIn, test } from "./fixtures";
import { arrive, notice } from "./screen";
import { joinShop, newStaff } from "./staff";

test("the go-live list checks itself: each step has a button, and its state is the server's", async ({
  page,
  shop,
  at,
  audit,
}) => {
  await arrive(page, at("/settings/go-live"), "Go live");
  const list = page.getByRole("list", { name: "Go live" });
  const step = (title: string) => list.getByRole("listitem").filter({ hasText: title });
  await expect(list.getByRole("listitem")).toHaveCount(6);
  await expect(step("test mail")).toContainText("This install has no mail server.");
  await expect(step("test mail").getByRole("button")).toHaveCount(0);
  // Both modes share the settings: who looks at test mode stays there.
  for (const title of ["colour, logo or contact", "time zone"])
    await expect(step(title).getByRole("link", { name: "Open settings" })).toHaveAttribute(
      "href",
      `/b/${shop.id}/test/settings`,
    );
  await audit(page);

  await expect(step("payment provider")).toContainText("to do");
  await expect(step("live API key")).toContainText("if you need it");
  await insertConnection(db, {
    businessId: shop.id,
    mode: "live",
    id: newToken().slice(0, 32),
    gateway: "stripe",
    secret: seal("sk_live_x", "gateway"),
    accountName: "Tide & Co",
  });
  await expect(step("payment provider")).toContainText("Stripe has not accepted the key yet.");
  await pool().query("update gateway_connections set checked_at = now() where business_id = $1", [
    shop.id,
  ]);
  await expect(step("payment provider")).toContainText("Stripe accepted the key of Tide & Co.");
  await expect(step("payment provider").getByRole("link")).toHaveCount(0);

  await step("live API key").getByRole("link", { name: "Create live key" }).click();
  await expect(page).toHaveURL(new RegExp(`/b/${shop.id}/live/developers$`));
  await page.getByRole("button", { name: "Create key" }).first().click();
  const form = page.getByRole("form", { name: "New API key" });
  await form.getByLabel("Name").fill("Till");
  await form.getByRole("button", { name: "Create key" }).click();
  await page.getByRole("dialog", { name: "Your new key" }).waitFor();
  await arrive(page, at("/settings/go-live"), "Go live");
  await expect(step("live API key")).toContainText("done");

  // A business in UTC changes nothing.
  await step("time zone").getByRole("link", { name: "Open settings" }).click();
  await page
    .getByRole("form", { name: "Business" })
    .getByRole("button", { name: "Save changes" })
    .click();
  await expect(notice(page, "Saved")).toBeVisible();
  await expect(page.getByText("Payers see it from now on.")).toHaveCount(0);
  await arrive(page, at("/settings/go-live"), "Go live");
  await expect(step("time zone")).toContainText("Days are counted in UTC.");
});

test("the overview shows what is missing to those who can change it, until nothing is", async ({
  page,
  context,
  shop,
  at,
  install,
}) => {
  await arrive(page, at(), "Overview");
  const card = page.getByRole("heading", { name: "Go live" }).locator("xpath=ancestor::section[1]");
  await expect(page.getByText(/^\d of 6 steps are done\.$/)).toBeVisible();
  await page.getByText("Show what is missing").click();
  await expect(card.getByRole("link", { name: "Connect provider" })).toBeVisible();
  await page.route("**/api/go-live", async (route) => {
    const answer = await route.fetch();
    const json = (await answer.json()) as { data: object };
    await route.fulfill({
      response: answer,
      json: { ...json, data: { ...json.data, done: true } },
    });
  });
  await expect(card).toBeHidden({ timeout: 15_000 });
  await page.unrouteAll();

  // Before the first live payment a link may not even be possible, so the list leads and is open.
  await page.goto(at("", "live"));
  const lists = page.getByRole("main").getByRole("list", { name: /^(Go live|First steps)$/ });
  await expect(lists.first()).toHaveAccessibleName("Go live");
  await expect(lists.first().getByRole("link", { name: "Connect provider" })).toBeVisible();

  const viewer = await newStaff(install, "Vera Viewer");
  await joinShop(viewer, shop, "viewer");
  await context.clearCookies();
  await signIn(context, viewer, install);
  await arrive(page, at(), "Overview");
  await expect(page.getByRole("heading", { name: "Go live" })).toHaveCount(0);
  await page.goto(at("/settings/go-live"));
  await expect(page.getByRole("list", { name: "Go live" }).getByRole("link")).toHaveCount(0);
});

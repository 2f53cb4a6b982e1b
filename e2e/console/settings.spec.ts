import { createHmac } from "node:crypto";
import { returnParameters } from "@/lib/contract/return-address";
import { newLink } from "../shop";
import { expect, test } from "./fixtures";
import { arrive, goBack, notice, pick, rowOf, rowsOf } from "./screen";
import { copied } from "./terminal";

test("what is changed about the business is previewed, saved, and what payers then see", async ({
  page,
  shop,
  at,
  audit,
}) => {
  const link = await newLink(shop);
  await arrive(page, at("/settings"), "Business");
  const form = page.getByRole("form", { name: "Business" });
  const preview = page.getByRole("region", { name: "Preview of the payer’s page" });
  await form.getByRole("textbox", { name: "Name" }).fill("Teh Tarik Sdn Bhd");
  await form.getByRole("textbox", { name: /^Colour/ }).fill("#ffd400");
  await form.getByLabel("E-mail for questions").fill("help@teh.example");
  await pick(form.getByLabel("Time zone"), "Lisbon");
  await pick(form.getByLabel("Default currency"), "EUR");
  await form.getByLabel("Days on which").fill("2, 4");
  await expect(preview.getByText("Teh Tarik Sdn Bhd asks for EUR 125.50")).toBeAttached();
  await expect(preview.getByText("help@teh.example")).toBeVisible();
  await expect(form.getByText("Adjusted slightly so that text stays readable.")).toBeVisible();
  await audit(page);
  await form.getByRole("button", { name: "Save changes" }).click();
  await expect(page.getByText("Payers see it from now on.")).toBeVisible();

  await page.reload();
  await expect(form.getByRole("textbox", { name: "Name" })).toHaveValue("Teh Tarik Sdn Bhd");
  await expect(form.getByLabel("Time zone")).toHaveValue(/^Lisbon/);
  await expect(form.getByLabel("Days on which")).toHaveValue("2, 4");
  await page.goto(link.payment_url);
  await expect(page.getByText("Teh Tarik Sdn Bhd").first()).toBeVisible();
  await expect(page.getByRole("link", { name: /help@teh\.example/ })).toBeVisible();
  await audit(page);
});

test("a form says what is wrong in the API's words, goes to the first of it, and asks before it is left unsaved", async ({
  page,
  at,
}) => {
  await arrive(page, at("/settings"), "Business");
  const form = page.getByRole("form", { name: "Business" });
  const name = form.getByRole("textbox", { name: "Name" });
  await name.fill("");
  await form.getByRole("textbox", { name: /^Colour/ }).fill("teal");
  await form.getByLabel("Days on which").fill("5, 3");
  await form.getByRole("button", { name: "Save changes" }).click();
  await expect(form.getByText("Name is required.")).toBeVisible();
  await expect(form.getByText("Colour format is invalid.")).toBeVisible();
  await expect(
    form.getByText("Days on which a failed charge is tried again range is invalid."),
  ).toBeVisible();
  await expect(name).toBeFocused();

  await page
    .getByRole("navigation", { name: "Settings" })
    .getByRole("link", { name: "Security" })
    .click();
  const question = page.getByRole("alertdialog", { name: "Leave without saving?" });
  await question.getByRole("button", { name: "Keep editing" }).click();
  await expect(name).toHaveValue("");
  await goBack(page);
  await expect(question).toBeVisible();
  await question.getByRole("button", { name: "Keep editing" }).click();
  await page
    .getByRole("navigation", { name: "Settings" })
    .getByRole("link", { name: "Security" })
    .click();
  await question.getByRole("button", { name: "Leave" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Security" })).toBeVisible();
});

test("the signing secret is shown on request, signs return addresses, and the old one no more after it is rolled", async ({
  page,
  context,
  install,
  shop,
  at,
}) => {
  await arrive(page, at("/settings/signing-secret"), "Signing secret");
  expect(await page.getByRole("region", { name: "Signing secret" }).count()).toBe(0);
  await page.getByRole("button", { name: "Show", exact: true }).click();
  const secret = await copied(page, "Copy signing secret");
  const signedBy = async (key: string) => {
    const link = await newLink(shop, { redirect_url: `${install.url}/docs/api` });
    const payer = await context.newPage();
    await payer.goto(link.payment_url);
    await payer.getByRole("button", { name: /^Pay / }).click();
    await payer.getByRole("button", { name: "Approve", exact: true }).click();
    await payer.waitForURL(/\/docs\/api\?.*hash=/);
    const query = new URL(payer.url()).searchParams;
    await payer.close();
    const text = returnParameters.map(({ name }) => `${name}=${query.get(name) ?? ""}`).join("\n");
    return createHmac("sha256", key).update(text).digest("hex") === query.get("hash");
  };
  expect(await signedBy(secret)).toBe(true);
  await page.getByRole("button", { name: "Roll…" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Roll secret" }).click();
  await expect(page.getByRole("alertdialog")).toHaveCount(0);
  const next = await copied(page, "Copy signing secret");
  expect(next).not.toBe(secret);
  expect([await signedBy(secret), await signedBy(next)]).toEqual([false, true]);

  const colleague = await context.newPage();
  await arrive(colleague, at("/settings/signing-secret"), "Signing secret");
  await colleague.getByRole("button", { name: "Roll…" }).click();
  await colleague.getByRole("alertdialog").getByRole("button", { name: "Roll secret" }).click();
  await expect(colleague.getByRole("alertdialog")).toHaveCount(0);
  const newest = await copied(colleague, "Copy signing secret");
  await colleague.close();
  await page.getByRole("button", { name: "Hide" }).click();
  await page.getByRole("button", { name: "Show", exact: true }).click();
  await expect(page.getByRole("region", { name: "Signing secret" })).toContainText(newest);

  await page.route("**/api/business/signing-secret/roll", async (route) => {
    await route.fetch();
    await route.fulfill({ status: 502, contentType: "text/html", body: "<html>" });
  });
  await page.getByRole("button", { name: "Roll…" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Roll secret" }).click();
  await expect(page.getByText("Something went wrong on our side.").first()).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("button", { name: "Show", exact: true })).toBeVisible();
});

test("the audit log says who did what, from where and when", async ({ page, staff, at }) => {
  await arrive(page, at("/settings"), "Business");
  const form = page.getByRole("form", { name: "Business" });
  await form.getByRole("textbox", { name: "Name" }).fill("Audited");
  await form.getByRole("button", { name: "Save changes" }).click();
  await expect(page.getByText("Payers see it from now on.")).toBeVisible();
  await arrive(page, at("/settings/audit-log"), "Audit log");
  const row = rowOf(page, "Audit log", "Change the business");
  await expect(row).toContainText("Mei Tan");
  await expect(row).toContainText("fields: name");
  await expect(row.getByRole("time")).toHaveAttribute("title", /UTC$/);
  expect(await page.content()).not.toContain(staff.password);
});

test("the audit log is searched and filtered by what, who and when, and leads to the records", async ({
  page,
  shop,
  staff,
  at,
  audit,
}) => {
  const link = await newLink(shop, { title: "Audited" });
  const own = { "x-kutip-business": String(shop.id), "x-kutip-mode": "test", origin: "" };
  await arrive(page, at(`/payment-links/${link._id}`), "Audited");
  own.origin = new URL(page.url()).origin;
  await page.request.post(`/api/payment-links/${link._id}/cancel`, { headers: own });
  await page.request.post("/api/api-keys", { headers: own, data: { name: "Till" } });
  await arrive(page, at("/settings/audit-log"), "Audit log");
  await expect(rowsOf(page, "Audit log").first()).toBeVisible();
  const all = await rowsOf(page, "Audit log").count();
  expect(all).toBeGreaterThan(1);
  await page.getByRole("searchbox", { name: "Search the audit log" }).fill(link._id.slice(0, 20));
  await expect(rowsOf(page, "Audit log")).toHaveCount(1);
  await page.getByRole("button", { name: "Clear filters" }).first().click();
  await page.getByLabel("What", { exact: true }).selectOption("Create an API key");
  await expect(rowsOf(page, "Audit log")).toHaveCount(1);
  await expect(page).toHaveURL(/action=createApiKey/);
  await page.getByRole("button", { name: "Clear filters" }).first().click();
  await page.getByLabel("Who", { exact: true }).selectOption(staff.id);
  await expect(rowsOf(page, "Audit log")).toHaveCount(all);
  await audit(page);
  await page.getByRole("button", { name: "Clear filters" }).first().click();
  await page.getByRole("button", { name: "When: any time" }).click();
  await page.getByRole("menuitemradio", { name: "Last month" }).click();
  await expect(page.getByRole("heading", { name: "No results" })).toBeVisible();
  await page.getByRole("button", { name: "Clear filters" }).first().click();
  await rowOf(page, "Audit log", "Cancel").getByRole("link").click();
  await expect(page.getByRole("heading", { level: 1, name: "Audited" })).toBeVisible();
});

test("the business that was saved in one mode is shown as saved in the other, and not as changed meanwhile", async ({
  page,
  shop: _,
  at,
}) => {
  const form = page.getByRole("form", { name: "Business" });
  const phone = form.getByLabel("Phone for questions");
  const mode = page.getByRole("switch", { name: "Test mode" });
  await arrive(page, at("/settings", "live"), "Business");
  await mode.click();
  await expect(page).toHaveURL(/\/test\/settings/);
  await phone.fill("+60 12");
  await form.getByRole("button", { name: "Save changes" }).click();
  await expect(notice(page, "Saved")).toBeVisible();
  await mode.click();
  await expect(page).toHaveURL(/\/live\/settings/);
  await expect(phone).toHaveValue("+60 12");
});

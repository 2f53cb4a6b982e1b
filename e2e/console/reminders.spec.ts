import { parse } from "csv-parse/sync";
import { readFile } from "node:fs/promises";
import { linkInput, linkNow, newLink, type Shop } from "../shop";
import { expect, test } from "./fixtures";
import { arrive, rowOf, rowsOf } from "./screen";

const list = "Payment links";
const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

const threeLinks = async (shop: Shop) => {
  await newLink(shop, { title: "Late trip", due_at: day(-2) });
  await newLink(shop, { title: "Later trip", due_at: day(2) });
  await newLink(shop, { title: "Any day trip" });
};

test("the list shows which links are overdue, and filters by it and by what payers have opened", {
  tag: "@phone",
}, async ({ page, shop, at, audit }) => {
  await threeLinks(shop);
  await arrive(page, at("/payment-links"), list);
  await expect(rowOf(page, list, "Late trip")).toContainText("Overdue");
  await expect(rowOf(page, list, "Later trip")).toContainText("Due ");
  await expect(rowOf(page, list, "Later trip")).not.toContainText("Overdue");
  await expect(rowOf(page, list, "Any day trip")).not.toContainText("Due");
  await audit(page);
  await page.getByRole("button", { name: "More filters" }).click();
  await page.getByRole("dialog").getByLabel("Overdue").selectOption("Yes");
  await page.getByRole("dialog").getByRole("button", { name: "Show results" }).click();
  await expect(rowsOf(page, list)).toHaveCount(1);
  await expect(rowOf(page, list, "Late trip")).toBeVisible();
  const file = page.waitForEvent("download");
  await page.getByRole("link", { name: "Export CSV" }).click();
  const rows = parse(await readFile(await (await file).path(), "utf8"), {
    columns: true,
    bom: true,
  }) as Record<string, string>[];
  expect(rows.map(({ title, overdue }) => [title, overdue])).toEqual([["Late trip", "true"]]);
  await page.goto(at("/payment-links?opened=true"));
  await expect(page.getByText("No results")).toBeVisible();
  await page.goto(at("/payment-links?opened=false"));
  await expect(rowsOf(page, list)).toHaveCount(3);
});

test("a due date is written, shown, changed and named on the timeline, and one after the expiry is refused beside its field", async ({
  page,
  shop,
  at,
}) => {
  const link = await newLink(shop, { expires_at: "2031-01-31T12:00:00Z" });
  await arrive(page, at(`/payment-links/${link._id}/edit`), "Edit payment link");
  await page.getByLabel("Due", { exact: false }).fill("2031-02-01T12:00");
  await page.getByRole("button", { name: "Save changes" }).click();
  await expect(page.getByText("Due must not be after the expiry.")).toBeVisible();
  await page.getByLabel("Due", { exact: false }).fill("2031-01-15T12:00");
  await page.getByRole("button", { name: "Save changes" }).click();
  await expect(page.getByRole("heading", { level: 1, name: linkInput.title })).toBeVisible();
  expect((await linkNow(shop, link._id)).due_at).toMatch(/^2031-01-15T/);
  const timeline = page.getByRole("region", { name: "Timeline" });
  await expect(timeline.getByText("Due")).toBeVisible();
});

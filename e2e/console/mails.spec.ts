import { mailsAbout, unscopedPostponeMail } from "@/lib/domain/mails/rows";
import { newLink } from "../shop";
import { expect, test } from "./fixtures";
import { arrive, notice, rowOf, rowsOf } from "./screen";

const list = "Mails";

test("every mail to a payer is listed, found, read as the payer sees it, and sent again as a new one", async ({
  page,
  shop,
  at,
}) => {
  const told = await newLink(shop, { title: "Told by mail", send_email: true });
  await newLink(shop, { title: "Kept quiet", send_email: false });
  await newLink(shop, { title: "Somebody else", email: "else@example.com", send_email: true });
  await expect(async () => {
    await arrive(page, at("/mails"), list);
    await expect(rowsOf(page, list)).toHaveCount(2, { timeout: 1_000 });
  }).toPass();
  await page.getByRole("combobox", { name: "About" }).selectOption("Payment link");
  await page.getByRole("searchbox", { name: "Search mails" }).fill(told.email);
  await expect(rowsOf(page, list)).toHaveCount(1);
  const payer = page.getByRole("link", { name: told.email });
  await expect(payer).toHaveAttribute("href", /\/customers\/find\?email=/);
  await rowOf(page, list, told.email).getByRole("link").first().click();
  await expect(page.getByRole("main").getByText("Not sent").first()).toBeVisible();
  await expect(payer).toHaveAttribute("href", /\/customers\/find\?email=/);
  await expect(page.getByText("This install has no mail server.")).toBeVisible();
  await expect(page.getByTitle("The mail as the payer sees it")).toHaveAttribute("sandbox", "");
  await expect(
    page.frameLocator('iframe[title="The mail as the payer sees it"]').getByRole("link").first(),
  ).toHaveAttribute("href", told.payment_url);
  await page.getByRole("button", { name: "Resend" }).click();
  await expect(notice(page, `Not sent to ${told.email}`)).toBeVisible();
  await page.goto(at(`/mails?q=${told.email}`));
  await expect(rowsOf(page, list)).toHaveCount(2);
  await expect(rowsOf(page, list).first()).toContainText("Not sent");
  await rowsOf(page, list).first().getByRole("link").first().click();
  await expect(page.getByRole("link", { name: "An earlier mail" })).toBeVisible();
});

test("an open list shows a mail as it is written, also the first", async ({ page, shop, at }) => {
  const { _id } = await newLink(shop, { title: "Told later", send_email: false });
  await arrive(page, at("/mails"), list);
  await expect(page.getByText("No mail has been written yet")).toBeVisible();
  await shop.api.ok("POST", `/payment-links/${_id}/send`);
  await expect(rowsOf(page, list)).toHaveCount(1);
  await expect(rowsOf(page, list)).toContainText("Not sent");
  await shop.api.ok("PUT", `/payment-links/${_id}`, {
    ...{ title: "Told again", currency: "MYR", amount: 2_000, email: "ana@example.com" },
  });
  await shop.api.ok("POST", `/payment-links/${_id}/send`);
  await expect(rowsOf(page, list)).toHaveCount(2);
});

test("a mail that its recipient's limit holds back says so", async ({ page, shop, at, audit }) => {
  const link = await newLink(shop, { title: "One too many", send_email: true });
  const mails = () => mailsAbout(shop.ctx, link._id);
  await expect.poll(async () => (await mails()).map(({ status }) => status)).toEqual(["kept"]);
  for (const mail of await mails()) await unscopedPostponeMail(mail, 3_600);
  await arrive(page, at("/mails"), list);
  await expect(rowsOf(page, list).first()).toContainText("Waiting");
  await audit(page);
  await rowsOf(page, list).first().getByRole("link").first().click();
  await expect(page.getByRole("main")).toContainText(
    "This recipient has had many mails from you today, a payment of the link is under way, or no payment provider is connected.",
  );
});

test("a mail that is sent again from its record leaves the pressed row in its place", async ({
  page,
  shop,
  at,
}) => {
  const { _id, title, currency, email } = await newLink(shop, { send_email: true });
  const written = () => mailsAbout(shop.ctx, _id);
  await expect.poll(async () => (await written()).map(({ status }) => status)).toEqual(["kept"]);
  await shop.api.ok("PUT", `/payment-links/${_id}`, { title, currency, email, amount: 2_000 });
  await shop.api.ok("POST", `/payment-links/${_id}/send`);
  await arrive(page, at(`/payment-links/${_id}`), title);
  const mails = page.getByRole("list", { name: list }).getByRole("listitem");
  await expect(mails).toHaveCount(2);
  await expect(mails.nth(1)).toContainText("MYR 12.50");
  await mails.nth(1).getByRole("button", { name: "Resend" }).click();
  await expect(mails).toHaveCount(3);
  await expect(mails.nth(0)).toContainText("MYR 20.00");
  await expect(mails.nth(1)).toContainText("MYR 12.50");
  await expect(mails.nth(2)).toContainText("MYR 20.00");
});

import { join } from "../install";
import { type MailServer, startMailServer } from "../mail-server";
import { type Service, startService } from "../service";
import { newLink, newShop } from "../shop";
import { expect, signIn, test } from "./fixtures";
import { arrive, notice } from "./screen";
import { joinShop, newStaff } from "./staff";

let mailServer: MailServer | undefined;
let service: Service | undefined;

test.beforeAll(async () => {
  test.setTimeout(90_000);
  mailServer = await startMailServer();
  service = await startService({ LOG_LEVEL: "fatal", SMTP_URL: mailServer.url });
});
test.afterAll(async () => {
  await service?.stop();
  await mailServer?.stop();
});

test("the payer's mail is seen as the payer sees it, and sent again with the same address; none where none was wanted", async ({ page, context, audit }) => {
  if (!service || !mailServer) throw new Error("the install did not start");
  const { url } = service;
  const { mails: delivered } = mailServer;
  await join(service);
  const shop = await newShop(url);
  const staff = await newStaff(service);
  await joinShop(staff, shop);
  await signIn(context, staff, service);
  const at = (path: string) => `${url}/b/${shop.id}/test${path}`;
  const quiet = await newLink(shop, { title: "Quiet", email: staff.email, send_email: false });
  const told = await newLink(shop, { title: "Told", email: staff.email, send_email: true });
  await expect.poll(() => delivered.length).toBe(1);

  await arrive(page, at(`/payment-links/${told._id}`), "Told");
  const mails = page.getByRole("list", { name: "Mails" });
  await expect(mails.getByText("Sent")).toBeVisible();
  await audit(page);
  await mails.getByRole("button", { name: "Preview" }).click();
  const frame = page.getByTitle("The mail as the payer sees it");
  await expect(frame).toHaveAttribute("sandbox", "");
  await expect(page.frameLocator('iframe[title="The mail as the payer sees it"]').getByRole("link").first()).toHaveAttribute("href", told.payment_url);
  await page.keyboard.press("Escape");
  await mails.getByRole("button", { name: "Resend" }).click();
  await expect(notice(page, `On its way to ${staff.email}`)).toBeVisible();
  await expect.poll(() => delivered.length).toBe(2);
  const [, again] = delivered;
  expect(again?.text).toContain(told.payment_url);
  expect(again?.html).toContain(told.payment_url.replaceAll("&", "&amp;"));

  await page.goto(at(`/payment-links/${quiet._id}`));
  await expect(page.getByText("No mail about it.")).toBeVisible();
  expect(delivered).toHaveLength(2);
});

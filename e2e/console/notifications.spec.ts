import type { Page } from "@playwright/test";
import { answer, newReceiver, type Receiver } from "@/tests/webhooks/receiver";
import { newLink, newShop, type Shop } from "../shop";
import { expect, test as base } from "./fixtures";
import { arrive, notice } from "./screen";
import { joinShop, type Staff } from "./staff";

/** A chat of the test's own on this machine. */
const test = base.extend<{ chat: Receiver }>({
  chat: async ({ browserName: _ }, use) => {
    const chat = await newReceiver(answer(200, "ok"));
    await use(chat);
    await chat.close();
  },
});

const said = (chat: Receiver) =>
  chat.received.map(({ body }) => (JSON.parse(body) as { text: string }).text);
const settings = (page: Page) => page.getByRole("form", { name: "Notifications" });
const group = (page: Page, name: "By e-mail" | "To a chat") =>
  settings(page).getByRole("group", { name });
const press = (page: Page, name: string) => settings(page).getByRole("button", { name }).click();
async function removeChat(page: Page): Promise<void> {
  await press(page, "Remove chat…");
  await page.getByRole("alertdialog").getByRole("button", { name: "Remove chat" }).click();
}

/** A business with a gateway in live mode, of which the person is a member. */
async function liveShop(url: string, staff: Staff, role: "owner" | "viewer"): Promise<Shop> {
  const shop = await newShop(url, "Tide & Co", "live");
  await joinShop(staff, shop, role);
  return shop;
}

/** Money of a new link arrives, as a program records it. */
async function receive(shop: Shop, title: string): Promise<void> {
  const { _id } = await newLink(shop, { title });
  await shop.api.ok("POST", `/payment-links/${_id}/payments`, { method: "cash" });
}

test("a viewer chooses what their chat gets, tests it, and a live payment comes there @phone", async ({
  page,
  install,
  staff,
  audit,
  chat,
}) => {
  const shop = await liveShop(install.url, staff, "viewer");
  await arrive(page, `/b/${shop.id}/test/settings/notifications`, "Notifications");
  await expect(settings(page)).toContainText("This install has no mail server");
  await expect(settings(page).getByRole("button", { name: "Send a test mail" })).toBeDisabled();
  await audit(page);

  await group(page, "To a chat").getByRole("checkbox", { name: "Each payment" }).check();
  await press(page, "Save notifications");
  await expect(settings(page).getByText("The chat's address is required.")).toBeVisible();
  await settings(page).getByLabel("The chat's address").fill("https://chat.example:22/x");
  await press(page, "Save notifications");
  await expect(
    settings(page).getByText("The chat's address must not use this port."),
  ).toBeVisible();
  await settings(page).getByLabel("The chat's address").fill(`${chat.url}/secret-x9Yz`);
  await press(page, "Save notifications");
  await expect(notice(page, "Notifications saved")).toBeVisible();
  await expect(settings(page).getByText(`${new URL(chat.url).host}…x9Yz`)).toBeVisible();
  await page.reload();
  await expect(settings(page).getByText(`${new URL(chat.url).host}…x9Yz`)).toBeVisible();
  await expect(
    group(page, "To a chat").getByRole("checkbox", { name: "Each payment" }),
  ).toBeChecked();
  expect(await page.content()).not.toContain("secret-x9Yz");

  await press(page, "Send a test message");
  await expect(notice(page, "accepted the message")).toBeVisible();
  await expect(notice(page, "It answered: ok")).toBeVisible();
  expect(said(chat)[0]).toContain("Tide &amp; Co: this is a test of your notifications.");

  await receive(shop, "Chairs <!channel>");
  await expect
    .poll(() => said(chat).at(-1))
    .toContain(
      "Tide &amp; Co: MYR 12.50 received\n• MYR 12.50 from nur.payer@example.com for “Chairs &lt;!channel&gt;”",
    );
  expect(said(chat)).toHaveLength(2);
  await audit(page);
});

test("a chat that is gone is said to be off; removing it ends what goes there", async ({
  page,
  install,
  staff,
  chat,
  audit,
}) => {
  const shop = await liveShop(install.url, staff, "owner");
  const address = `/b/${shop.id}/live/settings/notifications`;
  await arrive(page, address, "Notifications");
  await settings(page).getByLabel("The chat's address").fill(chat.url);
  await group(page, "To a chat").getByRole("checkbox", { name: "Each payment" }).check();
  await press(page, "Save notifications");
  await expect(notice(page, "Notifications saved")).toBeVisible();
  chat.behave(answer(404, "no_service"));
  await receive(shop, "Chairs");
  await expect.poll(() => said(chat).length).toBe(1);
  await expect
    .poll(async () => {
      await page.reload();
      return settings(page).getByText("It answered 404. Nothing more is sent there").count();
    })
    .toBe(1);
  await expect(settings(page).getByText("Off", { exact: true })).toBeVisible();
  await press(page, "Send a test message");
  await expect(notice(page, "did not accept the message")).toBeVisible();
  await expect(notice(page, "It answered 404. It said: no_service")).toBeVisible();

  await settings(page).getByLabel("Replace the chat's address").fill(chat.url);
  await press(page, "Remove chat…");
  const question = page.getByRole("alertdialog", { name: /^Remove / });
  await expect(question).toBeVisible();
  await audit(page);
  // The keys that send a form send none behind a question.
  const sent: unknown[] = [];
  page.on("request", (request) => {
    if (request.method() === "PUT") sent.push(request.postDataJSON().chat_url);
  });
  await page.keyboard.press("Control+Enter");
  await page.keyboard.press("Escape");
  await expect(question).toBeHidden();
  const again = `${chat.url}/again`;
  await settings(page).getByLabel("Replace the chat's address").fill(again);
  await page.keyboard.press("Control+Enter");
  await expect.poll(() => sent).toContain(again);
  expect(sent).toEqual([again]);
  await removeChat(page);
  await expect(notice(page, "Chat removed")).toBeVisible();
  await expect(settings(page).getByRole("button", { name: "Remove chat" })).toHaveCount(0);
  await expect(
    group(page, "To a chat").getByRole("checkbox", { name: "Each payment" }),
  ).not.toBeChecked();
});

test("removing the chat keeps what was changed for mails and not saved yet", async ({
  page,
  install,
  staff,
  chat,
}) => {
  const shop = await liveShop(install.url, staff, "owner");
  await arrive(page, `/b/${shop.id}/live/settings/notifications`, "Notifications");
  await settings(page).getByLabel("The chat's address").fill(chat.url);
  await group(page, "To a chat").getByRole("checkbox", { name: "Each payment" }).check();
  await press(page, "Save notifications");
  await expect(settings(page).getByLabel("Replace the chat's address")).toHaveValue("");

  const daily = group(page, "By e-mail").getByRole("checkbox", { name: "Daily summary" });
  const changed = !(await daily.isChecked());
  await daily.setChecked(changed);
  await removeChat(page);
  await expect(settings(page).getByRole("button", { name: "Remove chat" })).toHaveCount(0);
  await expect(daily).toBeChecked({ checked: changed });
  await expect(
    group(page, "To a chat").getByRole("checkbox", { name: "Each payment" }),
  ).not.toBeChecked();
  const saved = page.waitForResponse((answer) => answer.request().method() === "PUT");
  await press(page, "Save notifications");
  await saved;
  await page.reload();
  await expect(daily).toBeChecked({ checked: changed });
});

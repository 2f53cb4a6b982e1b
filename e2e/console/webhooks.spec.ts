import type { Page } from "@playwright/test";
import { answer, newReceiver, type Receiver, verified } from "@/tests/webhooks/receiver";
import { newLink } from "../shop";
import { expect, test as base } from "./fixtures";
import { arrive, choose, rowOf, rowsOf } from "./screen";
import { copied } from "./terminal";

/** A receiver of the test's own on this machine. */
const test = base.extend<{ receiver: Receiver }>({
  receiver: async ({ browserName: _ }, use) => {
    const receiver = await newReceiver();
    await use(receiver);
    await receiver.close();
  },
});

const nth = (receiver: Receiver, number: number) => {
  const one = receiver.received[number];
  if (!one) throw new Error(`only ${receiver.received.length} came`);
  return one;
};

/** Leaves the dialog with a secret for good, and gives the secret it showed. */
async function keepSecret(page: Page, title: string): Promise<string> {
  const dialog = page.getByRole("dialog", { name: title });
  const secret = await copied(page, "Copy secret");
  await dialog.getByRole("button", { name: "Done" }).click();
  await page
    .getByRole("alertdialog", { name: "You won’t see it again" })
    .getByRole("button", { name: "I’ve saved it" })
    .click();
  await expect(dialog).toHaveCount(0);
  return secret;
}

async function manage(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name: "Manage" }).click();
  await page.getByRole("menuitem", { name }).click();
}

test("an endpoint gets an event, again after a failure, and again by Resend; each signature is by its secret", async ({
  page,
  shop,
  at,
  audit,
  receiver,
}) => {
  await arrive(page, at("/developers/webhooks"), "Webhooks");
  await expect(
    page.getByRole("heading", { name: "Know about a payment the moment it happens" }),
  ).toBeVisible();
  await audit(page);
  await page.getByRole("button", { name: "Add endpoint" }).click();
  const form = page.getByRole("form", { name: "New webhook endpoint" });
  await form.getByRole("button", { name: "Create endpoint" }).click();
  await expect(form.getByText("Address is required.")).toBeVisible();
  await form.getByLabel("Address").fill("https://shop.example:22/");
  await form.getByRole("button", { name: "Create endpoint" }).click();
  await expect(form.getByText("Address must not use this port.")).toBeVisible();
  await form.getByLabel("Address").fill(receiver.url);
  await form.getByLabel("Description").fill("Web shop");
  await form.getByRole("radio", { name: "Only some" }).check();
  await form.getByRole("button", { name: "Create endpoint" }).click();
  await expect(form.getByText("Choose at least one type.")).toBeVisible();
  await form.getByRole("checkbox", { name: "payment_link.created" }).check();
  await form.getByRole("checkbox", { name: "payment_link.paid" }).check();
  await audit(page);
  await form.getByRole("button", { name: "Create endpoint" }).click();
  await expect(page.getByRole("dialog", { name: "Your endpoint’s secret" })).toBeVisible();
  await audit(page);
  const secret = await keepSecret(page, "Your endpoint’s secret");
  expect(secret).toMatch(/^whsec_/);

  await expect(page.getByRole("heading", { level: 1, name: "Web shop" })).toBeVisible();
  expect(await page.content()).not.toContain(secret);
  await expect(page.getByRole("heading", { name: "Nothing has been sent yet" })).toBeVisible();
  receiver.behave(
    (_, response, times) =>
      void response.writeHead(times === 1 ? 500 : 200).end(times === 1 ? "not now" : "thank you"),
  );
  const link = await newLink(shop, { title: "A chair" });
  // The second attempt follows after five seconds.
  await expect.poll(() => receiver.received.length, { timeout: 30_000 }).toBe(2);
  const row = rowOf(page, "Deliveries", "payment_link.created");
  await expect(row).toContainText("Delivered");
  await row.getByRole("link").click();
  await expect(page.getByRole("heading", { level: 1, name: "payment_link.created" })).toBeVisible();
  const attempts = page.getByRole("list", { name: "Attempts" }).getByRole("listitem");
  await expect(attempts).toHaveCount(2);
  await expect(attempts.nth(0)).toContainText("200");
  await expect(attempts.nth(1)).toContainText("It answered 500.");
  await expect(attempts.nth(1)).toContainText("not now");
  await audit(page);

  await page.getByRole("button", { name: "Resend" }).click();
  await expect(attempts).toHaveCount(3);
  await expect.poll(() => receiver.received.length).toBe(3);
  for (const one of receiver.received)
    expect(verified(secret, one)).toMatchObject({
      type: "payment_link.created",
      data: { _id: link._id, title: "A chair" },
    });
  expect(receiver.bodies().size).toBe(1);
  expect([...(receiver.bodies().values().next().value ?? [])]).toHaveLength(1);

  await page.getByRole("link", { name: nth(receiver, 0).id }).click();
  await expect(page.getByRole("region", { name: "Webhooks" }).getByRole("listitem")).toContainText(
    "Delivered",
  );
  await audit(page);
  await page.getByRole("button", { name: "Resend to all" }).click();
  await expect.poll(() => receiver.received.length).toBe(4);
});

test("a test event, a rotated secret that both sign, disabling, enabling and deleting", async ({
  page,
  shop,
  at,
  receiver,
}) => {
  const made = await shop.api.ok<{ _id: string; secret: string }>("POST", "/webhook-endpoints", {
    url: receiver.url,
    description: "Till",
  });
  await arrive(page, at("/developers/webhooks"), "Webhooks");
  await rowOf(page, "Webhook endpoints", "All events").getByRole("link").click();
  await page.getByRole("button", { name: "Send test event" }).click();
  await expect(rowOf(page, "Deliveries", "webhook_endpoint.test")).toContainText("Delivered");
  expect(verified(made.secret, nth(receiver, 0))).toMatchObject({ type: "webhook_endpoint.test" });

  await manage(page, "Rotate secret…");
  await page
    .getByRole("alertdialog", { name: "Rotate the secret?" })
    .getByRole("button", { name: "Rotate secret" })
    .click();
  const next = await keepSecret(page, "The new secret");
  await expect(page.getByText("signs too until")).toBeVisible();
  await page.getByRole("button", { name: "Send test event" }).click();
  await expect.poll(() => receiver.received.length).toBe(2);
  expect(verified(next, nth(receiver, 1))).toEqual(verified(made.secret, nth(receiver, 1)));

  await manage(page, "Disable…");
  await page
    .getByRole("alertdialog", { name: "Disable this endpoint?" })
    .getByRole("button", { name: "Disable endpoint" })
    .click();
  await expect(page.getByText("Disabled", { exact: true })).toBeVisible();
  await expect(page.getByRole("button", { name: "Send test event" })).toBeDisabled();
  await newLink(shop);
  await manage(page, "Enable");
  await expect(page.getByText("Enabled", { exact: true })).toBeVisible();
  await manage(page, "Edit…");
  const form = page.getByRole("form", { name: "Webhook endpoint" });
  await form.getByLabel("Description").fill("New till");
  await form.getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "New till" })).toBeVisible();

  // What it missed is sent when asked for.
  await manage(page, "Send events again…");
  const range = page.getByRole("form", { name: "Events to send again" });
  await range.getByRole("button", { name: "Send events" }).click();
  await expect(range.getByText("From is required when after is not present.")).toBeVisible();
  await range.getByLabel("From").fill("2020-01-01T00:00");
  await range.getByRole("button", { name: "Send events" }).click();
  await expect(rowOf(page, "Deliveries", "payment_link.created")).toContainText("Delivered");

  await manage(page, "Delete…");
  await page
    .getByRole("alertdialog", { name: "Delete this endpoint?" })
    .getByRole("button", { name: "Delete endpoint" })
    .click();
  await expect(page.getByRole("heading", { level: 1, name: "Webhooks" })).toBeVisible();
  await expect(rowsOf(page, "Webhook endpoints")).toHaveCount(0);
});

test("deliveries are filtered in the address, sent again from their row, and exhausted ones are under background work", async ({
  page,
  shop,
  at,
  audit,
  receiver,
}) => {
  receiver.behave(answer(410));
  await shop.api.ok("POST", "/webhook-endpoints", { url: receiver.url, description: "Gone" });
  await newLink(shop);
  await expect.poll(() => receiver.received.length).toBe(1);
  await arrive(page, at("/developers/work"), "Background work");
  const given = page.getByRole("list", { name: "Failed webhooks" }).getByRole("listitem");
  await expect(given).toContainText("Answered 410");
  await expect(page.getByText("1 worker at work")).toBeVisible();
  await audit(page);
  // The endpoint was disabled by its answer: the API would refuse.
  const resend = page.getByRole("button", { name: /^Resend/ });
  await expect(resend).toHaveCount(0);

  await given.getByRole("link").click();
  await expect(page.getByRole("list", { name: "Attempts" })).toBeVisible();
  await expect(resend).toHaveCount(0);
  await page.getByRole("link", { name: "Endpoint" }).click();
  await expect(page.getByText("Disabled: gone")).toBeVisible();
  receiver.behave(answer(200));
  await manage(page, "Enable");
  await page.getByLabel("Status").selectOption("Failed");
  await expect(page).toHaveURL(/status=failed/);
  const row = rowOf(page, "Deliveries", "payment_link.created");
  await choose(page, row, "Resend");
  await expect.poll(() => receiver.received.length).toBe(2);
  await expect(page.getByRole("heading", { name: "No results" })).toBeVisible();
  await page.getByRole("search").getByRole("button", { name: "Clear filters" }).click();
  await expect(row).toContainText("Delivered");
});

test("the page of an endpoint says within a second that it was disabled or deleted elsewhere", async ({
  page,
  shop,
  at,
}) => {
  const { _id } = await shop.api.ok<{ _id: string }>("POST", "/webhook-endpoints", {
    url: "https://shop.example/hooks",
  });
  const live = page.waitForResponse(/\/api\/stream\?/);
  await arrive(page, at(`/developers/webhooks/${_id}`), "shop.example");
  await live;
  await shop.api.ok("PUT", `/webhook-endpoints/${_id}`, { enabled: false });
  await expect(page.getByText("Disabled", { exact: true })).toBeVisible();
  await shop.api.ok("DELETE", `/webhook-endpoints/${_id}`);
  await expect(page.getByRole("alert", { name: "Deleted" })).toContainText(
    "This was deleted while you had it open",
  );
});

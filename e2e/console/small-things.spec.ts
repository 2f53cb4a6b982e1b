import { newLink, newTokenization } from "../shop";
import { expect, test } from "./fixtures";
import { arrive, choose, rowOf, rowsOf } from "./screen";

test("a list of many pages is left for any of them by number", async ({ page, shop, at }) => {
  await Promise.all(
    Array.from({ length: 50 }, (_, index) => newLink(shop, { title: `Link ${index}` })),
  );
  await arrive(page, at("/payment-links"), "Payment links");
  const pager = page.getByRole("form", { name: "Go to a page of payment links" });
  await pager.getByLabel("Page").fill("4");
  await pager.getByLabel("Page").press("Enter");
  await expect(page).toHaveURL(/page=4/);
  await expect(rowsOf(page, "Payment links")).toHaveCount(5);
  await pager.getByLabel("Page").fill("999");
  await pager.getByLabel("Page").press("Enter");
  await expect(pager.getByLabel("Page")).toHaveValue("4");
});

test("the actions of a row are in sight whatever columns are chosen, and nothing shows through them", async ({
  page,
  shop,
  at,
}) => {
  const email = "a-very-long-name-of-a-person@a-very-long-domain.example";
  await newLink(shop, { title: "Photo day at the market", email, reference: "INV-2026-000001" });
  const chosen = "&columns=status,email,reference,reference_2,phone_no,due_at,expires_at,paid_at";
  for (const [width, query] of [
    [1_280, ""],
    [1_440, chosen],
  ] as const) {
    await page.setViewportSize({ width, height: 800 });
    await arrive(page, at(`/payment-links?q=market${query}`), "Payment links");
    const row = rowOf(page, "Payment links", "Photo day");
    const menu = row.getByRole("button", { name: /^(Actions|More)/ });
    await expect(menu).toBeInViewport({ ratio: 1 });
    const cell = row.locator("td").last();
    // What the list shows without being asked fits: nothing covers the amount.
    if (query === "") {
      const amount = await row.getByText("12.50").boundingBox();
      const actions = await cell.boundingBox();
      expect((amount?.x ?? 0) + (amount?.width ?? 0)).toBeLessThan(actions?.x ?? 0);
    }
    const alpha = await cell.evaluate((td) => getComputedStyle(td).backgroundColor);
    expect(alpha).toMatch(/^rgb\(/);
    await menu.click();
    await expect(page.getByRole("menu")).toBeVisible();
    await page.keyboard.press("Escape");
  }
});

test("help is one press away: reference, shortcuts, what is new, health, and the operator", async ({
  page,
  at,
  audit,
}) => {
  await arrive(page, at("/mails"), "Mails");
  await page.getByRole("link", { name: "Help" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Help" })).toBeVisible();
  await expect(page.getByRole("link", { name: "API reference" })).toHaveAttribute(
    "href",
    "/docs/api",
  );
  await expect(page.getByText("Create a payment link", { exact: true })).toBeVisible();
  await expect(page.getByText(/^(Healthy|Needs the operator)$/)).toBeVisible();
  await expect(page.getByRole("link", { name: "operator@kutip.example" })).toHaveAttribute(
    "href",
    "mailto:operator@kutip.example",
  );
  await expect(page.getByRole("heading", { name: "Added" })).toBeVisible();
  await audit(page);
  await page.getByRole("link", { name: "All changes" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "What’s new" })).toBeVisible();
  await expect(page.getByRole("heading", { name: /^1\.0\.0/ }).first()).toBeVisible();
  await page.getByRole("link", { name: "Help" }).last().click();
  await page.getByRole("link", { name: "See who has not opened the page" }).click();
  await expect(page.getByText("Payment page opened: No").first()).toBeVisible();
});

test("a filter that is refused is taken out by the button of the message", async ({
  page,
  shop,
  at,
}) => {
  await newLink(shop);
  await page.goto(at("/payment-links?status=Bogus"));
  const message = page.getByRole("alert").filter({ hasText: "status" });
  await expect(message.getByRole("button", { name: "Retry" })).toHaveCount(0);
  await message.getByRole("button", { name: "Clear filters" }).click();
  await expect(rowsOf(page, "Payment links")).toHaveCount(1);
});

test("a duplicate mails nobody and takes no reference along, and another one keeps the currency", async ({
  page,
  shop,
  at,
}) => {
  const link = await newLink(shop, { reference_2: "R2", currency: "KWD", amount: 12_500 });
  await arrive(page, at("/payment-links"), "Payment links");
  await choose(page, rowOf(page, "Payment links", link.title), "Duplicate");
  const form = page.getByRole("form", { name: "Payment link" });
  await expect(form.getByLabel("E-mail", { exact: true })).toHaveValue(link.email);
  await expect(form.getByRole("switch").or(form.getByRole("checkbox")).first()).not.toBeChecked();
  for (const name of ["Reference", "Second reference"])
    await expect(form.getByLabel(new RegExp(`^${name}`))).toHaveValue("");
  await form.getByRole("button", { name: "Create payment link" }).click();
  // Not alone on a line of its own.
  await page.setViewportSize({ width: 1440, height: 900 });
  const another = page.getByRole("link", { name: "Create another" });
  const heading = page.getByRole("heading", { name: "Your payment link is ready" });
  await expect
    .poll(async () =>
      Math.abs(((await another.boundingBox())?.y ?? 0) - ((await heading.boundingBox())?.y ?? 99)),
    )
    .toBeLessThan(8);
  await another.click();
  await expect(form.getByLabel("Currency")).toHaveValue(/^KWD/);
});

test("WhatsApp goes to the payer's number, for payment and activation links", async ({
  page,
  shop,
  at,
}) => {
  const link = await newLink(shop, { phone_no: "+60 12-345 6789" });
  const token = await newTokenization(shop, { phone_no: "+60123456789" });
  for (const [path, title, address] of [
    [`/payment-links/${link._id}`, link.title, link.payment_url],
    [`/tokens/${token._id}`, token.title, token.activation_url],
  ] as const) {
    await arrive(page, at(path), title);
    await page.getByRole("button", { name: "Share" }).click();
    const href = await page.getByRole("menuitem", { name: "WhatsApp" }).getAttribute("href");
    expect(href).toMatch(/^https:\/\/wa\.me\/60123456789\?text=/);
    expect(href).toContain(encodeURIComponent(address));
  }
});

test("what is typed as a password can be looked at", async ({ page, at }) => {
  await arrive(page, at("/settings/security"), "Security");
  const field = page.getByLabel("Current password", { exact: true });
  await field.fill("a secret of mine");
  const show = field.locator("xpath=..").getByRole("button", { name: /^(Show|Hide) characters$/ });
  await expect(field).toHaveAttribute("type", "password");
  await show.click();
  await expect(field).toHaveAttribute("type", "text");
  await show.click();
  await expect(field).toHaveAttribute("type", "password");
});

test("a mail that was not sent says why in its row", async ({ page, shop, at }) => {
  await newLink(shop, { send_email: true });
  await arrive(page, at("/mails"), "Mails");
  await expect(rowsOf(page, "Mails")).toContainText("This install has no mail server.", {
    timeout: 20_000,
  });
});

test.describe("on a phone", () => {
  test("the rows of every list begin at once, and its filters are behind a button that counts them", async ({
    page,
    shop,
    at,
    audit,
  }) => {
    await page.setViewportSize({ width: 360, height: 740 });
    for (const title of ["Order 1", "Order 2", "Order 3"]) await newLink(shop, { title });
    await newTokenization(shop);
    await shop.api.ok("POST", "/packages", {
      name: "Gold",
      currency: "MYR",
      amount: 4_900,
      frequency: "monthly",
      date_charge_start: "2026-01-01",
    });
    for (const [path, heading] of [
      ["/payment-links", "Payment links"],
      ["/customers", "Customers"],
      ["/tokens", "Tokens"],
      ["/packages", "Packages"],
    ] as const) {
      await arrive(page, at(path), heading);
      const cards = page.getByRole("list", { name: heading, exact: true }).getByRole("listitem");
      const { y = 999 } = (await cards.first().boundingBox()) ?? {};
      expect(y, path).toBeLessThan(240);
      if (path === "/payment-links") await expect(cards.nth(2)).toBeInViewport();
    }
    await arrive(page, at("/payment-links?status=Active&created_from=2026-01-01"), "Payment links");
    const status = page.getByRole("combobox", { name: "Status" });
    await expect(status).toBeHidden();
    await page.getByRole("button", { name: "Filters (2)" }).click();
    await expect(page.getByLabel("Sort payment links")).toBeVisible();
    await status.selectOption("Cancelled");
    await expect(page.getByRole("heading", { name: "No results" })).toBeVisible();
    await expect(status).toBeVisible();
    await audit(page);
    await page.getByRole("button", { name: "Clear filters" }).first().click();
    await page.getByRole("button", { name: "Filters", exact: true }).click();
    await expect(status).toBeHidden();
    await page.getByRole("button", { name: "More", exact: true }).click();
    await page.getByRole("menuitem", { name: "Import", exact: true }).click();
    await expect(page).toHaveURL(/payment-links\/import/);
  });

  test("words of headers and keys stay whole", async ({ page, at }) => {
    await page.setViewportSize({ width: 360, height: 740 });
    await arrive(page, at("/developers/work"), "Background work");
    await expect(page.getByRole("rowheader").first()).toBeVisible();
    const heights = await page.getByRole("rowheader").evaluateAll((cells) =>
      cells.map((cell) => {
        const range = document.createRange();
        const text = cell.firstChild as Text;
        return text.data.split(" ").map((word) => {
          const start = text.data.indexOf(word);
          range.setStart(text, start);
          range.setEnd(text, start + word.length);
          return range.getClientRects().length;
        });
      }),
    );
    expect(heights.flat().length).toBeGreaterThan(5);
    expect(new Set(heights.flat())).toEqual(new Set([1]));
  });
});

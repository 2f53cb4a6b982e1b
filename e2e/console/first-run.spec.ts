import { expect, test } from "./fixtures";
import { arrive } from "./screen";

const rooms = [
  {
    path: "/payment-links",
    title: "Payment links",
    teaches: "Ask for your first payment",
    action: "Create payment link",
    call: "POST",
    opens: "Payment link",
  },
  {
    path: "/tokens",
    title: "Tokens",
    teaches: "Let a payer save a card",
    action: "Issue token",
    call: "POST",
    opens: "Token",
  },
  {
    path: "/packages",
    title: "Packages",
    teaches: "Bill customers regularly",
    action: "Create package",
    call: "POST",
    opens: "Package",
  },
  {
    path: "/subscriptions",
    title: "Subscriptions",
    teaches: "Subscribe your first payer",
    action: "Create a package first",
    call: "POST",
    opens: "Package",
  },
  {
    path: "/mails",
    title: "Mails",
    teaches: "No mail has been written yet",
    action: "Create payment link",
    call: "POST",
    opens: "Payment link",
  },
];

for (const { path, title, teaches, action, call, opens } of rooms) {
  test(`${title}: where there is nothing yet, it says what it is, one button begins, and a call can be copied`, async ({
    page,
    at,
    audit,
  }) => {
    await arrive(page, at(path), title);
    await expect(page.getByRole("heading", { level: 2, name: teaches })).toBeVisible();
    await expect(page.getByRole("table")).toHaveCount(0);
    const main = page.getByRole("main");
    await expect(main.getByRole("link")).toHaveCount(1);
    const program = page.getByRole("region", { name: "Or from a program" });
    await expect(program).toContainText(`curl -X ${call} `);
    await expect(main.getByRole("button", { name: "Copy code" })).toBeVisible();
    await audit(page);
    await main.getByRole("link", { name: action }).click();
    await expect(page.getByRole("form", { name: opens })).toBeVisible();
  });
}

test("the button that begins keeps the keyboard's focus as the list turns out to be empty", async ({
  page,
  at,
}) => {
  let answer = () => {};
  const asked = new Promise<void>((resolve) => (answer = resolve));
  await page.route("**/api/packages?*", async (route) => {
    await asked;
    await route.continue();
  });
  await arrive(page, at("/packages"), "Packages");
  const create = page.getByRole("main").getByRole("link", { name: "Create package" });
  await create.focus();
  answer();
  await expect(
    page.getByRole("heading", { level: 2, name: "Bill customers regularly" }),
  ).toBeVisible();
  await expect(create).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("form", { name: "Package" })).toBeVisible();
});

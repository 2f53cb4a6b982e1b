import { newLink, newTokenization } from "../shop";
import { expect, test } from "./fixtures";
import { arrive } from "./screen";
import { copied, statusOf } from "./terminal";

test("copied curl carries this install's address, the key's variable and ids of this business, and runs", async ({
  page,
  install,
  shop,
  at,
}) => {
  await newLink(shop);
  await arrive(page, at("/developers/snippets"), "Snippets");
  const create = await copied(page, "Copy curl snippet");
  expect(create).toContain(`${install.url}/api/payment-links`);
  expect(create).toContain('"Authorization: Bearer $API_KEY"');
  expect(await statusOf(create, shop.key)).toBe(200);

  await page.getByLabel("What the program does").selectOption("Get a payment link");
  await expect(page).toHaveURL(/call=getPaymentLink/);
  await page.reload();
  await expect(page.getByRole("region", { name: "Get a payment link in curl" })).toContainText(
    /payment-links\/[0-9a-f]{24}/,
  );
  const get = await copied(page, "Copy curl snippet");
  expect(await statusOf(get, shop.key)).toBe(200);
});

test("the same call in every language, with the id of the business's own record", async ({
  page,
  install,
  shop,
  at,
}) => {
  const link = await newLink(shop);
  await arrive(page, at("/developers/snippets?call=getPaymentLink"), "Snippets");
  for (const [language, sign] of [
    ["curl", "curl "],
    ["Node", "await fetch("],
    ["PHP", "curl_init("],
    ["Python", "requests.get("],
  ] as const) {
    await page.getByRole("tab", { name: language }).click();
    const code = page.getByRole("region", { name: `Get a payment link in ${language}` });
    await expect(code).toContainText(sign);
    await expect(code).toContainText(`${install.url}/api/payment-links/${link._id}`);
    await expect(code).toContainText("API_KEY");
  }
  await expect(page).toHaveURL(/language=python/);
});

test("a missing record is stated, and a token is shown by its id, never by its secret", async ({
  page,
  shop,
  at,
}) => {
  await arrive(page, at("/developers/snippets?call=getTokenization"), "Snippets");
  await expect(page.getByText("There is no token here yet")).toBeVisible();
  const { _id, token } = await newTokenization(shop);
  await page.reload();
  await expect(page.getByRole("region", { name: /in curl$/ })).toContainText(
    `/tokenizations/${_id}`,
  );
  expect(await page.content()).not.toContain(token);
});

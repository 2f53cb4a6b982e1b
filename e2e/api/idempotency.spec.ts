import type { PaymentLink } from "@/lib/contract/payment-links";
import { expect, test } from "../fixtures";
import { linkInput, newShop, newTokenization, type Shop } from "../shop";

const create = (shop: Shop, key: string, body: unknown = linkInput) =>
  shop.api.call("POST", "/payment-links", body, { "idempotency-key": key });
const linksOf = (shop: Shop) =>
  shop.api.ok<{ total: number }>("GET", "/payment-links?page=1").then(({ total }) => total);
const replayed = (headers: Headers) => headers.get("idempotent-replayed");

test("of 64 calls with one key at once, one makes the link; the others get its answer or a 409", async ({
  shop,
}) => {
  const answers = await Promise.all(Array.from({ length: 64 }, () => create(shop, "once")));
  expect(answers.filter(({ status }) => status !== 200 && status !== 409)).toEqual([]);
  for (const { status, headers, body } of answers.filter(({ status }) => status === 409)) {
    expect([status, body.code, Number(headers.get("retry-after")) > 0]).toEqual([
      409,
      "idempotency_in_progress",
      true,
    ]);
  }
  const made = answers.filter(({ status }) => status === 200);
  expect(made.filter(({ headers }) => replayed(headers) === null)).toHaveLength(1);
  expect(new Set(made.map(({ text }) => text)).size).toBe(1);
  expect(await linksOf(shop)).toBe(1);
});

test("of 32 charges with one key at once, one takes the money", async ({ shop, page }) => {
  const made = await newTokenization(shop);
  await page.goto(made.activation_url);
  await page.getByRole("button", { name: "Save payment method" }).click();
  await page.getByRole("button", { name: "Approve", exact: true }).click();
  await expect(page.getByRole("heading", { name: "Payment method saved" })).toBeVisible();
  const charge = () =>
    shop.api.call(
      "POST",
      `/tokenizations/${made._id}/charge`,
      { amount: 900, currency: "MYR", title: "Once" },
      { "idempotency-key": "charge-once" },
    );
  const answers = await Promise.all(Array.from({ length: 32 }, charge));
  expect(answers.filter(({ status }) => status !== 200 && status !== 409)).toEqual([]);
  expect(new Set(answers.filter(({ status }) => status === 200).map(({ text }) => text)).size).toBe(
    1,
  );
  const { data } = await shop.api.ok<{ data: Array<{ status: string }> }>(
    "GET",
    `/payments?tokenization_id=${made._id}`,
  );
  expect(data.map(({ status }) => status)).toEqual(["succeeded"]);
});

test("a repeated call gets the same bytes, whatever has become of the link since", async ({
  shop,
}) => {
  const first = await create(shop, "same-bytes");
  await shop.api.ok("DELETE", `/payment-links/${(first.body.data as PaymentLink)._id}`);
  const again = await create(shop, "same-bytes");
  expect([again.status, again.text, replayed(again.headers)]).toEqual([200, first.text, "true"]);
  expect(again.headers.get("x-request-id")).not.toBe(first.headers.get("x-request-id"));
  expect([replayed(first.headers), await linksOf(shop)]).toEqual([null, 0]);
});

test("another body under the same key is 422 on it and changes nothing, also where only a blank differs", async ({
  shop,
  install,
}) => {
  const first = await create(shop, "other-body");
  const other = await create(shop, "other-body", { ...linkInput, amount: 9_999 });
  expect([other.status, Object.keys(other.body.errors as object)]).toEqual([
    422,
    ["idempotency_key"],
  ]);
  const spaced = await fetch(`${install.url}/api/payment-links`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${shop.key}`,
      "content-type": "application/json",
      "idempotency-key": "other-body",
    },
    body: `${JSON.stringify(linkInput)} `,
  });
  expect(spaced.status).toBe(422);
  expect((await create(shop, "other-body")).text).toBe(first.text);
  expect(await linksOf(shop)).toBe(1);
});

test("a key belongs to one business, one method and one path", async ({ shop, install }) => {
  const other = await newShop(install.url, "Another business");
  const [mine, theirs] = [
    await create(shop, "shared"),
    await create(other, "shared", { ...linkInput, title: "Theirs" }),
  ];
  expect([mine.status, theirs.status, replayed(theirs.headers)]).toEqual([200, 200, null]);
  expect((theirs.body.data as PaymentLink).title).toBe("Theirs");
  const id = (mine.body.data as PaymentLink)._id;
  const key = { "idempotency-key": "shared" };
  const put = await shop.api.call(
    "PUT",
    `/payment-links/${id}`,
    { ...linkInput, title: "Changed" },
    key,
  );
  const cancelled = await shop.api.call("POST", `/payment-links/${id}/cancel`, undefined, key);
  const removed = await shop.api.call("DELETE", `/payment-links/${id}`, undefined, key);
  expect(
    [put, cancelled, removed].map(({ status, headers }) => [status, replayed(headers)]),
  ).toEqual([
    [200, null],
    [200, null],
    [200, null],
  ]);
  const again = await shop.api.call("DELETE", `/payment-links/${id}`, undefined, key);
  expect([again.status, again.text]).toEqual([200, removed.text]);
  expect((await shop.api.call("DELETE", `/payment-links/${id}`)).status).toBe(404);
});

test("only successes are kept: what failed may be sent again, also with another body", async ({
  shop,
}) => {
  const refused = await create(shop, "second-try", { ...linkInput, amount: 1 });
  expect(refused.status).toBe(422);
  const unknown = "/payment-links/000000000000000000000000";
  for (let i = 0; i < 2; i++)
    expect(
      (await shop.api.call("DELETE", unknown, undefined, { "idempotency-key": "gone" })).status,
    ).toBe(404);
  const made = await create(shop, "second-try");
  expect([made.status, replayed(made.headers)]).toEqual([200, null]);
});

test("a key that is no key is 400 before anything is done", async ({ shop }) => {
  for (const key of ["", "a b", "x".repeat(256), "t\tb", "\u00e9"]) {
    const answer = await create(shop, key);
    expect([key, answer.status, answer.body.code]).toEqual([key, 400, "malformed_request"]);
  }
  expect((await create(shop, "x".repeat(255))).status).toBe(200);
  expect(await linksOf(shop)).toBe(1);
});

test("a key on a read is ignored", async ({ shop }) => {
  const one = await shop.api.call("GET", "/payment-links", undefined, {
    "idempotency-key": "read",
  });
  await create(shop, "made-between");
  const two = await shop.api.call("GET", "/payment-links", undefined, {
    "idempotency-key": "read",
  });
  expect([one.status, two.status, replayed(two.headers), one.text === two.text]).toEqual([
    200,
    200,
    null,
    false,
  ]);
});

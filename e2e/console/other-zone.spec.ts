import { linkInput, newLink } from "../shop";
import { expect, test } from "./fixtures";
import { arrive } from "./screen";

test.use({ timezoneId: "America/New_York" });

test("a changed date in a timeline is drawn alike by server and browser", async ({
  page,
  shop,
  at,
}) => {
  const link = await newLink(shop, { title: "Moved", expires_at: "2031-01-24T02:00:00Z" });
  const { reference: _, ...input } = linkInput;
  await shop.api.ok("PUT", `/payment-links/${link._id}`, {
    ...input,
    title: "Moved",
    expires_at: "2031-02-24T02:00:00Z",
  });
  const errors: string[] = [];
  page.on("pageerror", ({ message }) => errors.push(message));
  await arrive(page, at(`/payment-links/${link._id}`), "Moved");
  await expect(page.getByText("23 Feb 2031, 21:00").first()).toBeVisible();
  expect(errors).toEqual([]);
});

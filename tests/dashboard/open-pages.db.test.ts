import { afterAll, expect, test } from "vitest";
import { closePool } from "@/db/client";
import { pressButton } from "@/lib/gateways/simulator/page";
import { paymentsOf } from "../money/setting";
import { press } from "../money/setting-verbs";
import { data, keyCall, link, newLink, newOffice } from "./setting";

afterAll(closePool);

test.each([
  ["PUT", "", link({ amount: 2_000 })],
  ["DELETE", "", undefined],
  ["POST", "/cancel", undefined],
])(
  "%s /payment-links/{id}%s ends the payer's open page at the gateway before it changes the link",
  async (method, rest, body) => {
    const office = await newOffice();
    const id = await newLink(office);
    const page = (await press(office.shop.ctx, id)) ?? "";
    data(await keyCall(office, method, `/payment-links/${id}${rest}`, body));
    const [payment, ...more] = await paymentsOf(office.shop);
    expect([payment?.status, more]).toEqual(["cancelled", []]);
    await pressButton(page, "approve", "1");
    expect(await paymentsOf(office.shop)).toMatchObject([{ status: "cancelled" }]);
    if (method !== "DELETE")
      expect(data(await keyCall(office, "GET", `/payment-links/${id}`))).toMatchObject({
        paid: false,
      });
  },
);

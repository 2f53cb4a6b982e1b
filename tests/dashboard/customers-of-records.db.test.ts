import { afterAll, expect, test } from "vitest";
import { closePool } from "@/db/client";
import type { Customer } from "@/lib/contract/customers";
import type { NumberedPage } from "@/lib/contract/envelope";
import type { PaymentWithPayer } from "@/lib/contract/payments";
import { chargeToken } from "@/lib/contract/tokenizations";
import { readyPath } from "../contract/fixtures";
import { data, keyCall, newLink, newOffice, type Office, pay } from "./setting";

afterAll(closePool);

const customersOf = async (office: Office, filters: string) =>
  data<{ data: Customer[] }>(await keyCall(office, "GET", `/customers?${filters}`))
    .data.map(({ email, name }) => [email.toLowerCase(), name])
    .sort();

test("the customers of some links or payments are found by the ids of these, in any case of the address", async () => {
  const office = await newOffice();
  const [ana, ben] = ["Ana@names.example", "ben@names.example"];
  data(await keyCall(office, "POST", "/customers", { email: ana, name: "Ana Costa" }));
  data(
    await keyCall(office, "POST", "/customers", { email: "other@names.example", name: "Other" }),
  );
  const links = [
    await newLink(office, { email: ana.toLowerCase() }),
    await newLink(office, { email: ana.toUpperCase() }),
    await newLink(office, { email: ben }),
  ];
  const found = [
    ["ana@names.example", "Ana Costa"],
    ["ben@names.example", null],
  ];
  expect(await customersOf(office, `payment_link_ids=${links.join(",")}`)).toEqual(found);
  expect(await customersOf(office, `payment_link_ids=${links[0]},${links[1]}&sort=email`)).toEqual([
    found[0],
  ]);
  expect(await customersOf(office, `payment_link_ids=${links.join(",")}&page=1&q=costa`)).toEqual([
    found[0],
  ]);

  for (const id of links) await pay(office, id);
  const token = (await readyPath(chargeToken, office.shop.ctx)).split("/")[2] ?? "";
  data(
    await keyCall(office, "POST", `/tokenizations/${token}/charge`, {
      amount: 700,
      currency: "MYR",
      title: "Fee",
    }),
  );
  const payments = data<NumberedPage<PaymentWithPayer>>(
    await keyCall(office, "GET", "/payments?page=1"),
  ).data;
  expect(payments).toHaveLength(4);
  const payers = new Set(payments.map(({ email }) => email?.toLowerCase()));
  const ids = payments.map(({ _id }) => _id).join(",");
  expect(
    new Set((await customersOf(office, `payment_ids=${ids}`)).map(([email]) => email)),
  ).toEqual(payers);
  expect(payers.size).toBe(3);

  const others = await newOffice();
  expect(await customersOf(others, `payment_ids=${ids}`)).toEqual([]);
  expect(await customersOf(others, `payment_link_ids=${links.join(",")}`)).toEqual([]);
  expect((await keyCall(office, "GET", "/customers?payment_ids=ana@names.example")).status).toBe(
    422,
  );
});

import { afterAll, expect, test } from "vitest";
import { GET as payPage } from "@/app/(payer)/pay/route";
import { closePool } from "@/db/client";
import type { PaymentLink } from "@/lib/contract/payment-links";
import { flushBatches } from "@/lib/http/batch";
import { data, keyCall, newLink, newOffice, type Office } from "./setting";

afterAll(closePool);

const openedOf = async (office: Office) => {
  await flushBatches();
  const page = await keyCall(office, "GET", "/payment-links?opened=true");
  return data<{ data: PaymentLink[] }>(page).data.map(({ _id }) => _id);
};
const look = (id: string, headers: Record<string, string>) =>
  payPage(new Request(`http://localhost:3000/pay?id=${id}&test=true`, { headers }), {});

test("a payer's look opens a link, and that of a browser which is signed in to the dashboard does not", async () => {
  const office = await newOffice();
  const link = await newLink(office);
  const cookies = Object.entries(office.headers).find(([name]) => name === "cookie");
  expect(cookies?.[1]).toContain("session_token");
  expect((await look(link, { cookie: `theme=dark; ${cookies?.[1]}` })).status).toBe(200);
  expect(await openedOf(office)).toEqual([]);
  expect((await look(link, { cookie: "theme=dark; kutip.session_token_of=x" })).status).toBe(200);
  expect(await openedOf(office)).toEqual([link]);
});

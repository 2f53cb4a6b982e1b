// A program that orders by the client of openapi-typescript and openapi-fetch. The test beside it compiles and runs a copy.
import { createInterface } from "node:readline";
import createClient from "openapi-fetch";
import type { components, paths } from "./schema";

const client = createClient<paths>({
  baseUrl: `${process.env.ORIGIN}/api`,
  headers: { Authorization: `Bearer ${process.env.API_KEY}` },
});
const body: components["schemas"]["PaymentLinkInput"] = {
  email: "ana@example.com",
  currency: "MYR",
  amount: 12550,
  title: "Invoice 1042",
};

const created = await client.POST("/payment-links", {
  params: { header: { "Idempotency-Key": "order-1042" } },
  body,
});
if (created.error) throw new Error(created.error.message);
console.log(created.data.data.payment_url);
// The next line says that the payer has paid.
await new Promise((resolve) => createInterface({ input: process.stdin }).once("line", resolve));

const path = { payment_link_id: created.data.data._id };
const read = await client.GET("/payment-links/{payment_link_id}", { params: { path } });
if (read.error) throw new Error(read.error.message);
console.log(read.data.data.paid);

const log = await client.GET("/events", { params: { query: { type: "payment_link.paid" } } });
for (const event of log.data?.data.data ?? [])
  if (event.type === "payment_link.paid") console.log(event.mode, event.data.amount_decimal);

const qr = await client.GET("/payment-links/{payment_link_id}/qr.png", {
  params: { path },
  parseAs: "arrayBuffer",
});
console.log((qr.data?.byteLength ?? 0) > 100);

const missing = await client.GET("/payment-links/{payment_link_id}", {
  params: { path: { payment_link_id: "0".repeat(24) } },
});
if (missing.error && "code" in missing.error) {
  const code: "not_found" | "unauthenticated" | string = missing.error.code;
  console.log(code);
}
process.exit(0);

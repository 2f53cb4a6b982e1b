// A program that orders by the client of hey-api. The test beside it compiles and runs a copy.
import { createInterface } from "node:readline";
import { client } from "./hey-api/client.gen";
import {
  createPaymentLink,
  getPaymentLink,
  getPaymentLinkQrPng,
  listEvents,
} from "./hey-api/sdk.gen";
import type { Event } from "./hey-api/types.gen";

client.setConfig({ baseUrl: `${process.env.ORIGIN}/api`, auth: process.env.API_KEY });

const created = await createPaymentLink({
  headers: { "Idempotency-Key": "order-1042" },
  body: { email: "ana@example.com", currency: "MYR", amount: 12550, title: "Invoice 1042" },
  throwOnError: true,
});
console.log(created.data.data.payment_url);
// The next line says that the payer has paid.
await new Promise((resolve) => createInterface({ input: process.stdin }).once("line", resolve));

const path = { payment_link_id: created.data.data._id };
const read = await getPaymentLink({ path, throwOnError: true });
console.log(read.data.data.paid);

const log = await listEvents({ query: { type: "payment_link.paid" }, throwOnError: true });
const paidAmount = (event: Event) =>
  event.type === "payment_link.paid" ? event.data.amount_decimal : undefined;
for (const event of log.data.data.data) console.log(event.mode, paidAmount(event));

const qr = await getPaymentLinkQrPng({ path, throwOnError: true });
console.log(qr.data.size > 100);

const missing = await getPaymentLink({ path: { payment_link_id: "0".repeat(24) } });
if (missing.error && "code" in missing.error) console.log(missing.error.code);
process.exit(0);

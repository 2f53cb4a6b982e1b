import { sql } from "drizzle-orm";
import * as z from "zod";
import { db } from "@/db/client";
import { staffEndpoints } from "@/lib/contract/all";
import { endpoints } from "@/lib/contract/programs";
import { find as findToken } from "@/lib/domain/tokenizations/rows";
import { lookUp } from "@/lib/flows/activation/reconcile";
import { begin } from "@/lib/flows/activation/steps";
import { press } from "@/lib/gateways/simulator/bank";
import { newId } from "@/lib/kernel/ids";
import { data, keyCall, link, mailed, newLink, type Office, pay } from "./dashboard/setting";

/** Requests that write a record of a payer. `furnished` sends each with the payer's address in every text that it takes. */
export const PAYER_WRITES = [
  "createCustomer",
  "updateCustomer",
  "createPaymentLink",
  "updatePaymentLink",
  "createToken",
  "chargeToken",
  "createSubscription",
  "updateSubscription",
  "recordPayment",
  "createRefund",
  "createPackage",
  "updatePackage",
  "bulkCreatePaymentLinks",
] as const;

/** Short enough for a phone number, the shortest text that is free. Its signs are percent-encoded in addresses of pages. */
export const payer = () => `ana.${newId().slice(-8)}+s/={}@example.com`;

/** What shops make of an address: a longer word that is the payer's own. */
export const wordOf = (email: string) => `x-${email}`;

/** The fields of a body that take a free text, each with one that holds the address. References to other records are left out. */
export function textsOf(id: string, email: string): Record<string, string> {
  const body = [...endpoints, ...staffEndpoints].find((endpoint) => endpoint.id === id)?.body;
  if (!(body instanceof z.ZodObject)) return {};
  const texts = [`for ${email}`, email, `https://shop.example/?to=${encodeURIComponent(email)}`];
  return Object.fromEntries(
    Object.entries(body.shape as Record<string, z.ZodType>).flatMap(([name, field]) => {
      const text = texts.find((one) => field.safeParse(one).success);
      return text === undefined || name.endsWith("_id") ? [] : [[name, text]];
    }),
  );
}

/** A saved method that can be charged, with the address in every text. */
export async function savedMethod(office: Office, email: string): Promise<string> {
  const { ctx } = office.shop;
  const texts = textsOf("createToken", wordOf(email));
  const made = data<{ _id: string; token: string }>(
    await keyCall(office, "POST", "/tokenizations/create-token", { ...texts, email }),
  );
  const begun = await begin(made.token, "test");
  if (begun.kind !== "redirect") throw new Error(begun.kind);
  await press(begun.url.split("/").at(-1) ?? "", "approve", 1);
  const row = await findToken(ctx, made._id);
  if (!row || (await lookUp(ctx, row)).status !== "active") throw new Error("not active");
  return made._id;
}

/** A payer with one of everything, in plain rows from before and sealed ones. Each text of each request holds the address. */
export async function furnished(office: Office, email: string) {
  const { ctx } = office.shop;
  const named = (id: (typeof PAYER_WRITES)[number]) => textsOf(id, email);
  const about = (id: (typeof PAYER_WRITES)[number]) => ({ ...textsOf(id, wordOf(email)), email });
  const send = async (method: "POST" | "PUT", path: string, body: object) =>
    data<{ _id: string }>(await keyCall(office, method, path, body))._id;

  const customerId = await send("POST", "/customers", about("createCustomer"));
  await send("PUT", `/customers/${customerId}`, about("updateCustomer"));
  // Another customer, with texts that name this one.
  const other = { ...named("createCustomer"), email: `${newId()}@example.com` };
  await send("POST", "/customers", other);
  // A link of theirs, with texts that name both.
  const theirs = await newLink(office, {
    ...named("createPaymentLink"),
    ...{ email: other.email, send_email: true },
    description: `for ${email}, copy to ${other.email}`,
  });
  await pay(office, theirs);
  await mailed(theirs, 2);
  const paid = await newLink(office, { ...about("createPaymentLink"), send_email: true });
  await pay(office, paid);
  await mailed(paid, 2);
  const { rows } = await db.execute<{ id: string }>(
    sql`select id from payments where payment_link_id = ${paid}`,
  );
  const paymentId = rows[0]?.id ?? "";
  await send("POST", `/payments/${paymentId}/refunds`, { ...about("createRefund"), amount: 500 });
  const open = await newLink(office, {
    ...about("createPaymentLink"),
    description: `Call ${email.toUpperCase()} first`,
  });
  const byHand = await newLink(office, { email });
  const recorded = { ...about("recordPayment"), method: "cash" };
  await send("POST", `/payment-links/${byHand}/payments`, recorded);
  // A link that another payer has now, and that still speaks of this one.
  const moved = await newLink(office, about("createPaymentLink"));
  const ben = { currency: "MYR", amount: 1_250, email: "ben@example.com" };
  await send("PUT", `/payment-links/${moved}`, { ...named("updatePaymentLink"), ...ben });
  const methodId = await savedMethod(office, email);
  const charge = { ...about("chargeToken"), currency: "MYR", amount: 1_250 };
  await send("POST", `/tokenizations/${methodId}/charge`, charge);
  const imported = [link({ email: `${newId()}@example.com` })];
  await keyCall(office, "POST", "/payment-links/bulk", {
    rows: imported,
    file_name: `${email}.xlsx`,
  });
  const plan = { amount: 1_250, currency: "MYR", frequency: "yearly" };
  const terms = { ...plan, date_charge_start: "2999-01-31" };
  const packageId = await send("POST", "/packages", { ...named("createPackage"), ...terms });
  await send("PUT", `/packages/${packageId}`, { ...named("updatePackage"), ...terms });
  const subscriptionId = await send("POST", "/subscriptions", {
    ...about("createSubscription"),
    package_id: packageId,
  });
  await send("PUT", `/subscriptions/${subscriptionId}`, about("updateSubscription"));
  await db.execute(sql`
    update tokenizations set notice = ${JSON.stringify({ kind: "declined", reason: `no such card of ${wordOf(email)}` })}::jsonb where id = ${methodId}`);
  // As versions before payers' keys wrote it.
  await db.execute(sql`
    insert into events (business_id, mode, id, type, object_id, data, previous, actor)
    values (${ctx.businessId}, 'test', ${newId()}, 'payment_link.updated', ${paid},
      ${JSON.stringify({ _id: paid, email, phone_no: "+60 12", description: `to ${wordOf(email)}`, payment_links: [{ email, phone_no: "7" }] })}::jsonb,
      ${JSON.stringify({ phone_no: "+60 99" })}::jsonb, '{"kind":"clock"}')`);
  return { paid, open, theirs, other: other.email, methodId, subscriptionId, packageId };
}

import { afterAll, expect, test } from "vitest";
import { closePool } from "@/db/client";
import { Event } from "@/lib/contract/events";
import { api, newTenant, type Tenant } from "./setting";
import { checkedEventTypes } from "../event-shapes";

afterAll(closePool);

const link = { email: "ana@example.com", currency: "MYR", amount: 1_250, title: "Satay" };

async function call(
  { keys }: Tenant,
  method: string,
  path: string,
  body?: unknown,
): Promise<Record<string, string>> {
  const { status, body: answer } = await api(method, path, {
    key: keys.test,
    ...(body === undefined ? {} : { body }),
  });
  expect(status, JSON.stringify(answer)).toBe(200);
  return answer.data as Record<string, string>;
}

test("the data of each event is the object that the document names for its type", async () => {
  const tenant = await newTenant();
  const made = await call(tenant, "POST", "/payment-links", link);
  await call(tenant, "PUT", `/payment-links/${made._id}`, { ...link, email: "ben@example.com" });
  await call(tenant, "POST", `/payment-links/${made._id}/cancel`);
  await call(tenant, "POST", `/payment-links/${made._id}/reopen`);
  const paid = await call(tenant, "POST", `/payment-links/${made._id}/payments`, {
    method: "cash",
  });
  await call(tenant, "POST", `/payments/${paid._id}/refunds`, { amount: 500 });
  const other = await call(tenant, "POST", "/payment-links", link);
  await call(tenant, "DELETE", `/payment-links/${other._id}`);
  const token = await call(tenant, "POST", "/tokenizations/create-token", {
    email: "ana@example.com",
    title: "Gold",
    description: "Card",
  });
  await call(tenant, "DELETE", `/tokenizations/${token._id}`);
  const customer = await call(tenant, "POST", "/customers", { email: "cara@example.com" });
  await call(tenant, "PUT", `/customers/${customer._id}`, { name: "Cara", notes: "Pays late" });
  const plan = {
    name: "Gold",
    amount: 4_900,
    currency: "MYR",
    frequency: "monthly",
    date_charge_start: "2031-01-31",
  };
  const pack = await call(tenant, "POST", "/packages", plan);
  await call(tenant, "PUT", `/packages/${pack._id}`, { ...plan, name: "Silver" });
  const subscription = await call(tenant, "POST", "/subscriptions", {
    package_id: pack._id,
    email: "ana@example.com",
  });
  await call(tenant, "PUT", `/subscriptions/${subscription._id}`, { phone_no: "60123" });
  await call(tenant, "PUT", `/subscriptions/${subscription._id}`, { status: "cancel" });
  await call(tenant, "DELETE", `/subscriptions/${subscription._id}`);
  await call(tenant, "DELETE", `/packages/${pack._id}`);
  const types = new Set(await checkedEventTypes(tenant.businessId));
  for (const type of [
    "payment_link.created",
    "payment_link.updated",
    "payment_link.cancelled",
    "payment_link.reopened",
    "payment_link.paid",
    "payment_link.deleted",
    "payment.succeeded",
    "payment.refunded",
    "tokenization.created",
    "tokenization.revoked",
    "customer.created",
    "customer.updated",
    "customer.link_moved",
    "package.created",
    "package.updated",
    "package.deleted",
    "subscription.created",
    "subscription.updated",
    "subscription.cancelled",
    "subscription.deleted",
  ])
    expect([...types]).toContain(type);
});

test("an event with the data of another type breaks the schema", () => {
  const event = {
    _id: "6740f5d59e3c6f70b2d81a46",
    mode: "test",
    created_at: "2026-11-20T13:41:05.902177Z",
    data: { _id: "6740f2a11c5b8e9f03d7a612" },
  };
  expect(Event.safeParse({ ...event, type: "package.created" }).success).toBe(false);
  expect(Event.safeParse({ ...event, type: "package.exploded" }).success).toBe(false);
});

import { createHmac } from "node:crypto";
import { sql } from "drizzle-orm";
import { db } from "@/db/client";
import type { IntegrationWithPassword } from "@/lib/contract/integrations";
import type { ShopPlugin } from "@/lib/contract/values";
import type { Ctx } from "@/lib/domain/context";
import { create } from "@/lib/domain/integrations/manage";
import { findPayment } from "@/lib/domain/payments/rows";
import { returnFrom } from "@/lib/flows/checkout/return";
import { defineCallbackDelivery } from "@/lib/flows/shop-callbacks/job";
import { createSender } from "@/lib/flows/webhook-delivery/sender";
import { pressButton } from "@/lib/gateways/simulator/page";
import { type Answer, api, type Mode, newTenant, type Tenant } from "../contract/setting";
import { press, referenceOf } from "../money/setting-verbs";
import { runOnce } from "../run-once";

/** A connected plugin: what it stores after its sign-in. */
export type Plugin = {
  tenant: Tenant;
  ctx: Ctx;
  id: string;
  password: string;
  token: string;
  apiKey: string;
  signatureKey: string;
  /** Where its hooks are. */
  hooks: string;
};

/** Calls `/api/v1` with a JSON text as the plugin sends it. */
export const v1 = (
  method: string,
  path: string,
  {
    key,
    json,
    headers,
    address,
  }: { key?: string; json?: string; headers?: Record<string, string>; address?: string } = {},
): Promise<Answer> =>
  api(method, `/v1${path}`, {
    ...(key === undefined ? {} : { key }),
    ...(json === undefined ? {} : { raw: json }),
    ...(address === undefined ? {} : { address }),
    headers: { "user-agent": "GuzzleHttp/7", ...headers },
  });

/** The `data` of a success; throws for any other answer. */
export function ok<T = Record<string, unknown>>(answer: Answer): T {
  if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.text}`);
  return answer.body.data as T;
}

export const signIn = (password: string, address?: string) =>
  v1("POST", "/auth/sign-in", {
    json: JSON.stringify({ email: "owner@shop.example", password }),
    ...(address === undefined ? {} : { address }),
  });

type Approved = {
  id: number;
  name: string;
  integration: { id: number; api_key: string; signature_key: string; webhook_events: unknown[] };
};

/** What a plugin does with a password: it signs in and reads its keys. */
export async function retrieve(password: string) {
  const { token } = ok<{ token: string }>(await signIn(password));
  const [business] = ok<Approved[]>(await v1("GET", "/approved-businesses", { key: token }));
  if (!business) throw new Error("no business");
  const { id, api_key: apiKey, signature_key: signatureKey } = business.integration;
  const hooks = `/integrations/businesses/${business.id}/integrations/${id}/webhook-events`;
  return { password, token, apiKey, signatureKey, hooks };
}

/** Connects a plugin: the dashboard makes it, then the plugin signs in and reads its keys. */
export async function connect(
  plugin: ShopPlugin = "woocommerce",
  { tenant, mode = "test" }: { tenant?: Tenant; mode?: Mode } = {},
): Promise<Plugin> {
  const owner = tenant ?? (await newTenant("Kedai Demo"));
  const ctx = owner.ctx[mode];
  const made: IntegrationWithPassword = await create(ctx, { name: "Web shop", plugin });
  return { tenant: owner, ctx, id: made._id, ...(await retrieve(made.password)) };
}

/** What the plugins for WooCommerce, Gravity Forms and OpenCart do: delete every hook, then make theirs. */
export async function setWebhook({ hooks, token }: Plugin, url: string): Promise<string> {
  const { data } = ok<{ data: { _id: string }[] }>(await v1("GET", hooks, { key: token }));
  for (const { _id } of data)
    ok(await v1("DELETE", `${hooks}/${_id}`, { key: token, json: '{"enabled":true}' }));
  const json = JSON.stringify({ name: "payment.created", url, enabled: true });
  return ok<{ _id: string }>(await v1("POST", hooks, { key: token, json }))._id;
}

export type Link = {
  _id: string;
  amount: number;
  payment_url: string;
  status: string;
  paid: boolean;
  redirect_url: string | null;
} & Record<string, unknown>;

export const createLink = async ({ apiKey }: Plugin, json: string): Promise<Link> =>
  ok<Link>(await v1("POST", "/payment-links", { key: apiKey, json }));

/** The payer opens the page, presses pay and chooses an outcome at the gateway. Returns the address to which the browser goes. */
export async function payer({ ctx }: Plugin, linkId: string, outcome: string): Promise<string> {
  const session = await press(ctx, linkId);
  if (!session) throw new Error("no hosted page");
  await pressButton(session, outcome, "1");
  const payment = await findPayment(ctx, await referenceOf(session));
  if (!payment) throw new Error("no payment");
  return returnFrom(ctx, payment);
}

const delivery = () =>
  defineCallbackDelivery(createSender({ allowPrivate: true, deadlineMs: 2_000 }));

/** Delivers what is due, once. */
export const deliver = ({ ctx }: Plugin): Promise<number> => runOnce(delivery(), ctx.businessId);

/** The next attempts are due now. */
export const makeDue = ({ ctx }: Plugin) =>
  db.execute(
    sql`update integration_callbacks set next_try_at = now() where business_id = ${ctx.businessId} and next_try_at is not null`,
  );

export type CallbackData = Record<string, string>;

/** What a plugin does with a body: required keys, its own cleaning, and the hash over the values in their order. */
export function accept(body: string, signatureKey: string): CallbackData {
  const { event, data } = JSON.parse(body) as { event: string; data: CallbackData };
  if (event !== "payment.created") throw new Error(event);
  const required = [
    ...["attempt_id", "payment_id", "payment_time", "payment_amount", "payment_status"],
    ...["payment_link_id", "payment_link_reference", "payment_link_reference_2"],
    ...["payment_message", "payment_currency", "hash"],
  ];
  for (const name of required) if (typeof data[name] !== "string") throw new Error(`no ${name}`);
  const { hash, ...values } = data;
  const sanitized = Object.values(values).map((value) =>
    value
      .replace(/<[^>]*>/g, "")
      .replace(/%[0-9a-f]{2}/gi, "")
      .trim(),
  );
  const expected = createHmac("sha256", signatureKey)
    .update(signatureKey + sanitized.join(""))
    .digest("hex");
  if (hash !== expected) throw new Error("Hash mismatch.");
  return data;
}

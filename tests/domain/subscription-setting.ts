import { db } from "@/db/client";
import { provideEnv } from "@/lib/env";
import { newId } from "@/lib/kernel/ids";
import { Problem } from "@/lib/kernel/problem";
import { newTenant } from "../contract/setting";
import type { Ctx } from "@/lib/domain/context";
import { eventsAbout } from "@/lib/domain/events/rows";
import { create as createPackage } from "@/lib/domain/packages/create";
import { findPackage } from "@/lib/domain/packages/rows";
import { insertLink } from "@/lib/domain/payment-links/insert-rows";
import { begin } from "@/lib/flows/activation/steps";
import { create as createToken } from "@/lib/domain/tokenizations/create";
import { settleActivation } from "@/lib/flows/activation/settle";
import { create } from "@/lib/domain/subscriptions/create";

export const terms = {
  name: "Membership",
  amount: 1_250,
  currency: "MYR",
  frequency: "yearly",
  date_charge_start: "2027-01-31",
} as const;

provideEnv({ RATE_LIMIT_KEY: "0", RATE_LIMIT_BUSINESS: "0" });
export const tenant = await newTenant();
export const ctx = tenant.ctx.test;
export const { _id: packageId } = await createPackage(ctx, terms);

export const address = () => `${newId()}@example.com`;
export const subscribe = (email = address(), on = packageId) =>
  create(ctx, { package_id: on, email, phone_no: "+60 12" });
export const typesOf = async (id: string) =>
  (await eventsAbout(ctx, id)).map((event) => event.type).reverse();
export const statusOf = (work: Promise<unknown>) =>
  work.then(
    () => 200,
    (error: unknown) => (error instanceof Problem ? error.status : Promise.reject(error)),
  );
export const liveCount = async (id: string) => (await findPackage(ctx, id))?.liveCount;

/** A token with a saved method. */
export async function activeToken(email: string, on: Ctx = ctx): Promise<string> {
  const { _id, token } = await createToken(on, {
    email,
    title: "Membership",
    description: "Renewed every year",
  });
  await begin(token, "test");
  await settleActivation(on, _id, 1, {
    kind: "saved",
    gatewayId: "g",
    method: { id: newId(), card: { brand: "visa", last4: "4242", exp: "01/2040" } },
  });
  return _id;
}

/** A link of one of its periods, as the engine that charges will make them. */
export async function periodLink(
  subscriptionId: string,
  periodStart: string,
  change = "",
): Promise<string> {
  const id = newId();
  const values = {
    email: address(),
    currency: "MYR",
    amount: 1_250,
    title: "Membership",
    phoneNo: null,
    description: null,
    redirectUrl: null,
    reference: null,
    reference2: null,
    sendEmail: false,
    expiresAt: null,
    dueAt: null,
    reminders: null,
    subscriptionId,
    periodStart,
    periodEnd: null,
  };
  const event = { id: newId(), data: {}, mail: null };
  await insertLink(ctx, { id, values, event });
  if (change) await db.execute(`update payment_links set ${change} where id = '${id}'`);
  return id;
}

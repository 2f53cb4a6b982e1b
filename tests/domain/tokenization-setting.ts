import { beforeEach } from "vitest";
import { db } from "@/db/client";
import { provideEnv } from "@/lib/env";
import { press } from "@/lib/gateways/simulator/bank";
import { setTimes } from "@/lib/gateways/simulator/scripting";
import { Problem } from "@/lib/kernel/problem";
import { newTenant, type Tenant } from "../contract/setting";
import { resolveGateway } from "@/lib/domain/gateway-connections/account";
import { eventsAbout } from "@/lib/domain/events/rows";
import { begin } from "@/lib/flows/activation/steps";
import { create } from "@/lib/domain/tokenizations/create";
import { lookUp } from "@/lib/flows/activation/reconcile";
import { find, type TokenizationRow } from "@/lib/domain/tokenizations/rows";

provideEnv({ RATE_LIMIT_KEY: "0", RATE_LIMIT_BUSINESS: "0" });
/** Of each test its own: a job claims what is due of a whole business. */
export let tenant: Tenant;
beforeEach(async () => {
  tenant = await newTenant();
  await setTimes((await resolveGateway(tenant.ctx.test)).connection, { answerLimitMs: 50 });
});

export const input = {
  email: "Ana@example.com",
  title: "Membership",
  description: "Renewed every year",
};
export const make = () => create(tenant.ctx.test, input);
export const typesOf = async (id: string) =>
  (await eventsAbout(tenant.ctx.test, id)).map((event) => event.type).reverse();
export const statusOf = (work: Promise<unknown>) =>
  work.then(
    () => 200,
    (error: unknown) => (error instanceof Problem ? error.status : Promise.reject(error)),
  );

export async function rowOf(id: string): Promise<TokenizationRow> {
  const row = await find(tenant.ctx.test, id);
  if (!row) throw new Error("no such tokenization");
  return row;
}

/** Lets time pass for one record: its moments lie that much further back. */
export const age = (id: string, minutes: number) =>
  db.execute(`update tokenizations set attempt_at = (select attempt_at - interval '${minutes} minutes'), expires_at = (select expires_at - interval '${minutes} minutes'),
    next_check_at = (select next_check_at - interval '${minutes} minutes') where id = '${id}'`);
export const threeDays = 72 * 60;

type Opened = { id: string; token: string; url: string };

export async function openPage(): Promise<Opened> {
  const { _id: id, token } = await make();
  const begun = await begin(token, "test");
  if (begun.kind !== "redirect") throw new Error(begun.kind);
  return { id, token, url: begun.url };
}

export const pressOn = (url: string, outcome: Parameters<typeof press>[1]) =>
  press(url.split("/").at(-1) ?? "", outcome, 1);
export const look = async (id: string) => lookUp(tenant.ctx.test, await rowOf(id));
export const connectionId = async () => (await resolveGateway(tenant.ctx.test)).connection.id;

import type { Executor } from "@/db/client";
import type { Mode } from "@/lib/contract/values";
import { gatewayFor } from "@/lib/gateways/registry";
import { conflict, Problem } from "@/lib/kernel/problem";
import type { Ctx } from "../context";
import { resolveGateways } from "./account";
import { activeConnections, hasGateway } from "./rows";

/** Whether payers of the business can pay: always in test mode, which needs no connection. */
export const takesMoney = async ({ businessId, mode }: Ctx, on?: Executor): Promise<boolean> =>
  mode === "test" || hasGateway(businessId, mode, on);

/** Throws 409 in live mode while the business has no gateway: nothing that leads to money may begin. */
export async function assertConnected(ctx: Ctx, on?: Executor): Promise<void> {
  if (!(await takesMoney(ctx, on)))
    throw new Problem(
      409,
      "gateway_not_connected",
      "Connect a payment provider for live mode first.",
    );
}

/** Whether a gateway of this business and mode saves payment methods. */
export const savesMethods = async (businessId: number, mode: Mode): Promise<boolean> =>
  (await activeConnections(businessId, mode)).some(
    ({ gateway }) => gatewayFor(gateway)?.savesMethods,
  );

/** Throws 409 where gateways are connected and none of them saves payment methods. */
export async function assertSavesMethods(ctx: Ctx): Promise<void> {
  const gateways = (await resolveGateways(ctx)).map(({ gateway }) => gateway);
  if (gateways.length === 0 || gateways.some(({ savesMethods }) => savesMethods)) return;
  const titles = gateways.map(({ title }) => title).join(" and ");
  throw conflict(
    `${titles} cannot save payment methods here. Connect a provider that can, or send payment links.`,
  );
}

import { notifyChange } from "@/db/changes";
import { db, type Executor, type Tx } from "@/db/client";
import type { MemberWebhookEndpoint } from "@/lib/contract/team";
import { endpointsKnownTo } from "../audit/seen-rows";
import type { Ctx } from "../context";
import { editOf } from "../versions/edits";
import { endpointsOf } from "./known-rows";
import { changeEndpoint, disableEndpoint, type EndpointRow, lockEndpoint } from "./rows";

async function known(on: Executor, businessId: number, userId: string) {
  const list = await endpointsKnownTo(on, businessId, userId);
  const found = new Map(list.map((one) => [one.id, one]));
  const rows = await endpointsOf(on, businessId, [...found.keys()]);
  return rows.map((row) => ({
    row,
    address: found.get(row.id)?.address ?? false,
    secret: found.get(row.id)?.secret ?? false,
  }));
}

/** The endpoints of both modes that a member could use without their session: by the address that they chose, or by the secret. */
export const knownTo = async (
  { businessId }: Ctx,
  userId: string,
): Promise<MemberWebhookEndpoint[]> =>
  (await known(db, businessId, userId)).map(({ row, address, secret }) => ({
    _id: row.id,
    url: row.url,
    mode: row.mode,
    enabled: row.enabled,
    address_chosen: address,
    secret_shown: secret,
  }));

/** Disables the endpoints with an address that the member chose. Returns them. */
export async function disableChosenBy(
  ctx: Ctx,
  tx: Tx,
  userId: string,
): Promise<Pick<EndpointRow, "id" | "mode">[]> {
  const chosen = (await known(tx, ctx.businessId, userId)).filter(({ address }) => address);
  const disabled: EndpointRow[] = [];
  // In one order everywhere.
  for (const { row } of chosen.toSorted((a, b) => (a.row.id < b.row.id ? -1 : 1))) {
    const own = { ...ctx, mode: row.mode };
    const before = await lockEndpoint(own, tx, row.id);
    if (!before?.enabled) continue;
    await changeEndpoint(own, tx, row.id, editOf(own, before, { enabled: false }));
    disabled.push(await disableEndpoint(own, tx, row.id, null));
    await notifyChange(tx, own, "webhook_endpoint.updated", row.id);
  }
  return disabled;
}

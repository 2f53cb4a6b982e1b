import { databaseNow } from "@/db/now";
import type { Page } from "@/lib/contract/envelope";
import type { PaymentLink, PaymentLinkQuery } from "@/lib/contract/payment-links";
import { notFound } from "@/lib/kernel/problem";
import type { Ctx } from "../context";
import { listAt } from "./list";
import { presentLink } from "./present";
import type { ShownLink } from "./rows";
import { findShownLink } from "./shown-rows";

async function owned(ctx: Ctx, integrationId: string, id: string): Promise<ShownLink> {
  const row = await findShownLink(ctx, id);
  if (row?.integrationId !== integrationId) throw notFound();
  return row;
}

/** Throws 404 unless this integration created the link. */
export async function assertOwned(ctx: Ctx, integrationId: string, id: string): Promise<void> {
  await owned(ctx, integrationId, id);
}

/** A link of an integration. One that can no longer be paid is a 404: the plugin then makes a new one. */
export async function getUsable(ctx: Ctx, integrationId: string, id: string): Promise<PaymentLink> {
  const row = await owned(ctx, integrationId, id);
  const dead =
    row.status === "Expired" ||
    row.status === "Cancelled" ||
    (row.status === "Active" &&
      row.expiresAt !== null &&
      Date.parse(row.expiresAt) <= (await databaseNow()));
  if (dead) throw notFound();
  return presentLink(row);
}

/** A page of the links of an integration. */
export const listOf = (
  ctx: Ctx,
  integrationId: string,
  query: PaymentLinkQuery,
  search: URLSearchParams,
): Promise<Page<PaymentLink>> =>
  listAt("/v1/payment-links", {
    ctx,
    query: { ...query, integration_id: integrationId },
    search,
  });

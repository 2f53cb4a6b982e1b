import type { PayChoice } from "@/lib/contract/values";
import type { Ctx } from "@/lib/domain/context";
import type { GatewayAccount } from "@/lib/domain/gateway-connections/account";
import type { Money } from "@/lib/gateways/gateway";
import { offerFor } from "./offers";

/** Where a payment goes: the account, and the choice that its page is opened for. */
export type Target = { kind: "target"; account: GatewayAccount; choice: PayChoice | null };

/**
 * The account for a payer's choice. Without a choice: the first account that takes the amount. `not_offered`: the choice is not available now.
 * `not_connected`: the business has no gateway for this mode.
 */
export async function targetOf(
  ctx: Ctx,
  money: Money,
  choice: PayChoice | null,
): Promise<Target | { kind: "not_offered" } | { kind: "not_connected" }> {
  const { ways, first } = await offerFor(ctx, money);
  const account = ways[0]?.account ?? first;
  if (!account) return { kind: "not_connected" };
  if (choice === null) return { kind: "target", account, choice };
  const way = ways.find(({ method }) => method === choice.method);
  const option = way?.options.find(({ code }) => code === choice.option);
  const isOffered = way && (choice.option === null || option?.isAvailable);
  return isOffered ? { kind: "target", account: way.account, choice } : { kind: "not_offered" };
}

import type { PayChoice } from "@/lib/contract/values";
import type { Ctx } from "@/lib/domain/context";
import { type GatewayAccount, resolveGateway } from "@/lib/domain/gateway-connections/account";
import type { Money } from "@/lib/gateways/gateway";
import { waysToPay } from "./offers";

/** Where a payment goes: the account, and the choice that its page is opened for. */
export type Target = { account: GatewayAccount; choice: PayChoice | null };

/**
 * The account for a payer's choice. Without a choice: the first account that takes the amount. Undefined: the choice is not offered now. Throws 409
 * when no gateway is connected.
 */
export async function targetOf(
  ctx: Ctx,
  money: Money,
  choice: PayChoice | null,
): Promise<Target | undefined> {
  const ways = await waysToPay(ctx, money);
  if (choice === null)
    return { account: ways[0]?.account ?? (await resolveGateway(ctx)), choice: null };
  const way = ways.find(({ method }) => method === choice.method);
  const option = way?.options.find(({ code }) => code === choice.option);
  const isOffered = way && (choice.option === null || option?.isAvailable);
  return isOffered ? { account: way.account, choice } : undefined;
}

import type { PayMethod, PayOption } from "@/lib/contract/values";
import type { Ctx } from "@/lib/domain/context";
import { type GatewayAccount, resolveGateways } from "@/lib/domain/gateway-connections/account";
import { callGateway } from "@/lib/domain/gateway-connections/call";
import type { Money, OfferedMethod } from "@/lib/gateways/gateway";
import { chargeRefusal } from "@/lib/gateways/minimums";

/** How long a gateway's answer is shown before it is asked again, and how soon after one that did not come. */
const FRESH_SECONDS = 180;
const RETRY_MS = 30_000;
/** How long a payer's page waits for a gateway that was not asked before. */
const PATIENCE_MS = 2_000;
const MAX_KEPT = 2_000;

type Kept = { methods: readonly OfferedMethod[] | null; untilMs: number };
const kept = new Map<string, Kept>();
const asking = new Map<string, Promise<readonly OfferedMethod[] | null>>();

/** A way to pay a link: the payer's choice, and the account that takes it. */
export type WayToPay = {
  method: PayMethod;
  options: readonly PayOption[];
  account: GatewayAccount;
};

/** `first`: the account that staff put first; undefined without any. */
export type Offer = { ways: WayToPay[]; first: GatewayAccount | undefined };

/**
 * The ways to pay an amount, of all connected gateways that take it. Where two offer the same one, the gateway that staff put first has it. Empty:
 * no gateway has said what it offers, and the payer chooses on the page of the gateway.
 */
export async function offerFor(ctx: Ctx, money: Money): Promise<Offer> {
  const all = await resolveGateways(ctx);
  const accounts = all.filter(({ gateway }) => chargeRefusal(gateway, money) === null);
  const offers = await Promise.all(accounts.map(offersOf));
  const ways = accounts.flatMap((account, index) =>
    (offers[index] ?? []).map((offered) => ({ ...offered, account })),
  );
  return {
    ways: ways.filter(
      ({ method }, index) => ways.findIndex((other) => other.method === method) === index,
    ),
    first: all[0],
  };
}

/** The ways alone. */
export const waysToPay = async (ctx: Ctx, money: Money): Promise<WayToPay[]> =>
  (await offerFor(ctx, money)).ways;

/** What a connection offers, as it last said; null when it never said. What is old is asked for again without keeping the payer waiting. */
async function offersOf(account: GatewayAccount): Promise<readonly OfferedMethod[] | null> {
  const had = kept.get(account.connection.id);
  if (had && performance.now() < had.untilMs) return had.methods;
  const asked = ask(account);
  return had?.methods ?? (await inTime(asked));
}

function ask(account: GatewayAccount): Promise<readonly OfferedMethod[] | null> {
  const { id } = account.connection;
  const under = asking.get(id);
  if (under) return under;
  const asked = askAndKeep(account).finally(() => asking.delete(id));
  asking.set(id, asked);
  return asked;
}

async function askAndKeep({
  gateway,
  connection,
}: GatewayAccount): Promise<readonly OfferedMethod[] | null> {
  const answer = await callGateway("asking for ways to pay", () => gateway.offers(connection));
  const isKnown = answer.kind === "offers";
  const methods = isKnown ? answer.methods : (kept.get(connection.id)?.methods ?? null);
  if (kept.size >= MAX_KEPT) kept.clear();
  const freshMs = isKnown ? (answer.freshSeconds ?? FRESH_SECONDS) * 1_000 : RETRY_MS;
  kept.set(connection.id, { methods, untilMs: performance.now() + freshMs });
  return methods;
}

async function inTime<T>(asked: Promise<T>): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), PATIENCE_MS);
  });
  try {
    return await Promise.race([asked, late]);
  } finally {
    clearTimeout(timer);
  }
}

import { setTimeout as pause } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { db } from "@/db/client";
import type { OnClose } from "../drill-parts";
import { chargesOf } from "../failover/shop";
import { numberOption } from "../options";
import { until } from "../patroni/cluster";
import { told } from "../proof";
import { tellAnswers } from "./callers";
import { openScene, type Scene } from "./scene";

const MINUTES = numberOption("minutes", 3);
const WELL_SECONDS = 15;
const LOST_ANSWERS = 3;
/** The longest pause of a gateway that fails, and the machine's own delay: docs/operations/high-availability.md. */
const BACK_SECONDS = 120 + 15;
const PATIENCE_SECONDS = 300 + MINUTES * 60;

/** The gateway loses answers, then refuses connections, then answers with a page of its own, and is well again. */
export async function gatewayOutage(folder: string, onClose: OnClose): Promise<void> {
  told("minutes without a gateway; --minutes=60 is the hour", MINUTES);
  const scene = await openScene(folder, onClose, { renewals: Math.ceil(MINUTES * 60) + 60 });
  const { peer, trade } = scene;
  await pause(WELL_SECONDS * 1_000);
  const before = chargesOf(trade.shop).length;
  told(`charges in ${WELL_SECONDS} s before it`, before, before > 0);
  peer.lose("POST /v1/payment_intents", LOST_ANSWERS);
  const lost = () => before + LOST_ANSWERS <= chargesOf(trade.shop).length || undefined;
  await until("charges with a lost answer", PATIENCE_SECONDS, async () => lost());

  const tally = trade.callers.next();
  const { port } = new URL(peer.origin);
  await peer.stop();
  const charged = chargesOf(trade.shop).length;
  await pause(MINUTES * 30_000);
  peer.trouble = { status: 502, body: "<html>Bad Gateway</html>" };
  await peer.start(Number(port));
  await pause(MINUTES * 30_000);
  told(
    "charges at the gateway meanwhile",
    chargesOf(trade.shop).length - charged,
    chargesOf(trade.shop).length === charged,
  );
  told("payments and renewals that wait or are unknown", await waiting(scene));
  trade.callers.next();
  peer.trouble = null;
  const back = performance.now();
  await until(
    "charge",
    PATIENCE_SECONDS,
    async () => chargesOf(trade.shop).length > charged || undefined,
  );
  const seconds = (performance.now() - back) / 1_000;
  told("seconds to the first charge after it", seconds.toFixed(1), seconds <= BACK_SECONDS);
  await until(
    "end of what was due",
    PATIENCE_SECONDS,
    async () => (await overdue(scene)) === 0 || undefined,
  );
  told(
    "seconds until every renewal that was due is charged",
    ((performance.now() - back) / 1_000).toFixed(1),
  );
  const kinds = ["create", "get", "list", "pay page", "live", "ready"] as const;
  tellAnswers("during the outage", tally, kinds, { only: ["200"] });
  // An empty look-up proves nothing for 15 minutes, and an open page ends after 30: only these waits are shortened.
  await trade.close();
}

async function waiting({ trade }: Scene): Promise<string> {
  const { rows } = await db.execute<{ status: string; n: number }>(
    sql`select status, count(*)::int as n from payments where business_id = ${trade.shop.businessId} group by 1 order by 1`,
  );
  const payments = rows.map(({ status, n }) => `${status}: ${n}`).join(", ");
  return `${payments}; renewals due: ${await overdue({ trade })}`;
}

/** Renewals that were due ten seconds ago and are not paid. */
async function overdue({ trade }: Pick<Scene, "trade">): Promise<number> {
  const { rows } = await db.execute<{ n: number }>(
    sql`select count(*)::int as n from subscription_periods where business_id = ${trade.shop.businessId} and number = 1 and state <> 'paid' and due_at < now() - interval '10 seconds'`,
  );
  return rows[0]?.n ?? 0;
}

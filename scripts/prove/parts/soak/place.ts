import { sql } from "drizzle-orm";
import { db } from "@/db/client";
import type { GatewayShop } from "../failover/shop";
import type { Web } from "../failover/probes";
import { noLimits } from "../service";
import type { Disturbance } from "./disturbances";
import type { Member } from "./members";
import { COLLECTS } from "./memory";

/** An install of two web and two worker processes, its shop, and what can go wrong around it. */
export type Place = {
  shop: GatewayShop;
  members: readonly Member[];
  /** Where callers and payers go: a load balancer, or the web processes in turn. */
  urls: readonly string[];
  isBalanced: boolean;
  webs: readonly Web[];
  /** The address at which this process receives webhooks. */
  receiverHost: string;
  outages: readonly Disturbance[];
  /** Settings of one more process, started by the drill itself. */
  aside: Record<string, string>;
  /** Takes away what keeps acknowledged writes when the database dies. */
  unprotect: () => Promise<void>;
  /** The database dies, and is back when this returns. */
  crash: () => Promise<void>;
};

export type Size = {
  renewals: number;
  renewalsPerSecond: number;
  outageSeconds: number;
  random: () => number;
};

/** Settings that every process has; the memory is what `npm run web` and `npm run worker` give. */
export const SHARED = {
  ...noLimits,
  NODE_OPTIONS: `--max-old-space-size=1024 --max-semi-space-size=16 ${COLLECTS}`,
  WEBHOOK_ALLOW_PRIVATE: "true",
  LOG_LEVEL: "warn",
};

/** Changes a setting of the server that this process is connected to, and lets its sessions read it. */
export async function setOnServer(settings: Record<string, string>): Promise<void> {
  for (const [name, value] of Object.entries(settings))
    await db.execute(sql.raw(`alter system set ${name} = '${value}'`));
  await db.execute(sql`select pg_reload_conf()`);
}

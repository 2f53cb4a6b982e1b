import path from "node:path";
import { provideEnv } from "@/lib/env";
import { StripePeer } from "@/tests/stripe-peer/peer";
import { newInstall } from "../install";
import { type Process, processOf } from "../processes";
import { freePort, noLimits } from "../service";
import { startTrade, type Trade } from "./trade";

/** What a part gives to be ended when the drill ends, in reverse order. */
export type OnClose = (clean: () => unknown) => void;

export type Scene = { trade: Trade; peer: StripePeer; databaseUrl: string; web: Process };

type Options = { maxConnections?: number; renewals: number; settings?: Record<string, string> };

/** A database of its own, a gateway, a web and a worker process, and their trade. */
export async function openScene(
  folder: string,
  onClose: OnClose,
  { maxConnections = 100, renewals, settings = {} }: Options,
): Promise<Scene> {
  const install = await newInstall({ maxConnections });
  onClose(() => install.remove());
  const peer = await new StripePeer().start();
  onClose(() => peer.stop());
  provideEnv({ STRIPE_API_URL: peer.origin });
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const start = async (entry: "server" | "worker") => {
    const set = {
      ...install.settings,
      ...noLimits,
      STRIPE_API_URL: peer.origin,
      PORT: String(port),
      BASE_URL: url,
      METRICS_ADDRESS: `127.0.0.1:${await freePort()}`,
      WORKER_POLL_MS: "100",
      WEBHOOK_ALLOW_PRIVATE: "true",
      ...settings,
    };
    const started = processOf(entry, set, { log: path.join(folder, `${entry}.log`) });
    onClose(() => started.kill());
    await started.start();
    return started;
  };
  const [web, worker] = [await start("server"), await start("worker")];
  const trade = await startTrade(peer, url, { web: web.pid, worker: worker.pid }, renewals);
  onClose(() => trade.abandon());
  return { trade, peer, web, databaseUrl: install.settings.DATABASE_URL ?? "" };
}

import path from "node:path";
import { provideEnv } from "@/lib/env";
import { StripePeer } from "@/tests/stripe-peer/peer";
import type { OnClose } from "../drill-parts";
import { newInstall } from "../install";
import { type Process, processOf } from "../processes";
import { freePort, noLimits } from "../service";
import { startTrade, type Trade } from "./trade";

/** A process and where it serves its health. */
export type Running = { name: string; process: Process; address: string };
export type Scene = {
  trade: Trade;
  peer: StripePeer;
  databaseUrl: string;
  processes: readonly Running[];
};

type Options = {
  maxConnections?: number;
  renewals: number;
  workers?: number;
  /** The name by which the gateway is called, instead of an address. */
  gatewayHost?: string;
  /** More settings of a process: `web`, `worker 1` and so on. */
  settingsOf?: (name: string) => Record<string, string>;
};

/** A database of its own, a gateway, a web process and workers, and their trade. */
export async function openScene(
  folder: string,
  onClose: OnClose,
  { maxConnections = 100, renewals, workers = 1, gatewayHost, settingsOf = () => ({}) }: Options,
): Promise<Scene> {
  const install = await newInstall({ maxConnections });
  onClose(() => install.remove());
  const peer = await new StripePeer().start();
  onClose(() => peer.stop());
  if (gatewayHost) peer.origin = peer.origin.replace("127.0.0.1", gatewayHost);
  provideEnv({ STRIPE_API_URL: peer.origin });
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const start = async (name: string, entry: "server" | "worker"): Promise<Running> => {
    const address = `127.0.0.1:${await freePort()}`;
    const set = {
      ...install.settings,
      ...noLimits,
      STRIPE_API_URL: peer.origin,
      PORT: String(port),
      BASE_URL: url,
      METRICS_ADDRESS: address,
      WORKER_POLL_MS: "100",
      WEBHOOK_ALLOW_PRIVATE: "true",
      LOG_LEVEL: "warn",
      ...settingsOf(name),
    };
    const log = path.join(folder, `${name.replace(" ", "-")}.log`);
    const started = processOf(entry, set, { log });
    onClose(() => started.kill());
    await started.start();
    return { name, process: started, address };
  };
  const web = await start("web", "server");
  const first = await start("worker 1", "worker");
  const processes = [web, first];
  for (let number = 2; number <= workers; number++)
    processes.push(await start(`worker ${number}`, "worker"));
  const pids = { web: web.process.pid, worker: first.process.pid };
  const trade = await startTrade(peer, url, pids, renewals);
  onClose(() => trade.abandon());
  return { trade, peer, processes, databaseUrl: install.settings.DATABASE_URL ?? "" };
}

import path from "node:path";
import { provideEnv } from "@/lib/env";
import { StripePeer } from "@/tests/stripe-peer/peer";
import type { OnClose } from "../drill-parts";
import { openGatewayShop } from "../failover/shop";
import { newInstall } from "../install";
import { freePort } from "../service";
import { gatewayOutages } from "./gateway";
import { type Member, startMember } from "./members";
import { type Place, setOnServer, SHARED, type Size } from "./place";

/** On the embedded Postgres, with nothing in front of the web processes: it needs no installed program. */
export async function openPlain(
  folder: string,
  onClose: OnClose,
  { renewals, renewalsPerSecond, outageSeconds }: Size,
): Promise<Place> {
  const install = await newInstall();
  onClose(() => install.remove());
  const peer = await new StripePeer().start();
  onClose(() => peer.stop());
  provideEnv({ STRIPE_API_URL: peer.origin });
  const ports = [await freePort(), await freePort()];
  const webs = ports.map((port, at) => ({
    name: `web ${at + 1}`,
    url: `http://127.0.0.1:${port}`,
  }));
  const urls = webs.map(({ url }) => url);
  const shop = await openGatewayShop(peer, urls[0] ?? "", {
    renewals,
    perSecond: renewalsPerSecond,
  });
  const settings = { ...install.settings, ...SHARED, STRIPE_API_URL: peer.origin };
  const members: Member[] = [];
  for (const number of [1, 2])
    for (const entry of ["server", "worker"] as const) {
      const name = `${entry === "server" ? "web" : "worker"} ${number}`;
      const set = {
        ...settings,
        PORT: String(ports[number - 1]),
        BASE_URL: urls[number - 1] ?? "",
        METRICS_ADDRESS: `127.0.0.1:${await freePort()}`,
      };
      const log = path.join(folder, `${name.replace(" ", "-")}.log`);
      members.push(await startMember(name, entry, set, { log }, onClose));
    }
  return {
    shop,
    members,
    urls,
    isBalanced: false,
    webs,
    receiverHost: "127.0.0.1",
    outages: [
      ...gatewayOutages(peer, outageSeconds),
      { name: "Postgres dies and recovers", run: install.crash },
    ],
    aside: settings,
    // A commit no longer waits until it is on the disk.
    unprotect: () =>
      setOnServer({
        synchronous_commit: "off",
        wal_writer_delay: "10s",
        wal_writer_flush_after: "1GB",
      }),
    crash: install.crash,
  };
}

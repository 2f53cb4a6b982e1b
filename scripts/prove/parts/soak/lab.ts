import { mkdirSync } from "node:fs";
import path from "node:path";
import type { OnClose } from "../drill-parts";
import { openGatewayShop } from "../failover/shop";
import { startBalancer } from "../haproxy";
import { GATEWAY_PORT, type Machines, openMachines } from "../partition/machines";
import { type Cut, HUB, leadToHub, lose, mend, onMachine } from "../partition/network";
import { NEEDS, onNode, startHaproxy } from "../patroni/cluster";
import { type Pooler, startPooler } from "../pgbouncer";
import { endChild } from "../processes";
import { setTimeout as pause } from "node:timers/promises";
import type { Disturbance } from "./disturbances";
import { gatewayOutages } from "./gateway";
import { type Member, startMember } from "./members";
import { type Place, SHARED, type Size } from "./place";

const POOLER = "/usr/sbin/pgbouncer";
const [WEB_PORT, DATABASE_PORT, POOLER_PORT] = [3000, 5000, 6432];
const METRICS_PORTS = { server: 9400, worker: 9401 };
const LEADER_SECONDS = 120;
/** The outage in which another node leads only once the primary has lost its lead by time. */
export const ISOLATED = "lost network: the primary and everything";
/** The outage in which one of the two web processes is without its database. */
export const CUT_OFF = "lost network: a machine of Kutip and the primary";

/** What it needs besides root. */
export const LAB_NEEDS = [
  ...NEEDS,
  { program: "pgbouncer", package: "pgbouncer" },
  { program: "ip", package: "iproute2" },
  { program: "nft", package: "nftables" },
  { program: "sysctl", package: "procps" },
  { program: "unshare", package: "util-linux" },
];

/** A machine with a web and a worker process, HAProxy that leads to the primary, and PgBouncer in front of it. */
type App = { name: string; address: string; pooler: Pooler; startPooler: () => Promise<Pooler> };

/** Three database nodes under Patroni and two machines of Kutip in networks of their own, behind HAProxy. Needs an enclosure. */
export async function openLab(folder: string, onClose: OnClose, size: Size): Promise<Place> {
  const places = { app1: "10.0.0.21", app2: "10.0.0.22" };
  const machines = await openMachines(folder, places, onClose);
  const apps: App[] = [];
  for (const [name, address] of Object.entries(places))
    apps.push(await openApp(folder, name, address, machines, onClose));
  const addresses = apps.map(({ address }) => `${address}:${WEB_PORT}`);
  const balancer = await startBalancer(path.join(folder, "balancer"), addresses);
  onClose(() => balancer.stop());
  const { peer, cluster } = machines;
  const shop = await openGatewayShop(peer, balancer.url, {
    renewals: size.renewals,
    perSecond: size.renewalsPerSecond,
  });
  const members: Member[] = [];
  for (const [at, app] of apps.entries())
    for (const entry of ["server", "worker"] as const) {
      const name = `${entry === "server" ? "web" : "worker"} ${at + 1}`;
      const isBack = () => balancer.isUp(`${app.address}:${WEB_PORT}`);
      const how = {
        enter: onMachine(app.name),
        log: path.join(folder, `${name.replace(" ", "-")}.log`),
        ...(entry === "server" ? { isBack } : {}),
      };
      const set = settingsOf(machines, app.address, entry, balancer.url);
      members.push(await startMember(name, entry, set, how, onClose));
    }
  return {
    shop,
    members,
    urls: [balancer.url],
    isBalanced: true,
    webs: apps.map(({ address }, at) => ({
      name: `web ${at + 1}`,
      url: `http://${address}:${WEB_PORT}`,
    })),
    receiverHost: HUB,
    outages: [
      ...gatewayOutages(peer, size.outageSeconds),
      ...databaseOutages(machines),
      ...lostNetworks(machines, apps, size),
    ],
    aside: { ...machines.settings, ...SHARED, STRIPE_API_URL: peer.origin },
    // A commit waits for the disk of the primary alone.
    unprotect: async () => {
      await cluster.untilStandbys(2);
      const primary = await cluster.untilLeader();
      await onNode(primary, machines.passwords, [
        "alter system set synchronous_commit = 'local'",
        "select pg_reload_conf()",
      ]);
      // Else no standby takes over that lacks more than a MiB, and the primary comes back with all it had.
      await cluster.allowLag(primary);
      cluster.holdBack(primary);
    },
    crash: () => losePrimary(machines),
  };
}

async function openApp(
  folder: string,
  name: string,
  address: string,
  { nodes, passwords }: Machines,
  onClose: OnClose,
): Promise<App> {
  const enter = onMachine(name);
  leadToHub(name, GATEWAY_PORT);
  const at = path.join(folder, name);
  mkdirSync(at);
  const haproxy = startHaproxy(nodes, at, DATABASE_PORT, enter);
  onClose(() => endChild(haproxy, "SIGKILL"));
  const start = () =>
    startPooler(POOLER, path.join(at, "pooler"), `postgres://127.0.0.1:${DATABASE_PORT}`, {
      enter,
      port: POOLER_PORT,
      password: passwords.kutip,
    });
  const app: App = { name, address, pooler: await start(), startPooler: start };
  onClose(() => app.pooler.stop());
  return app;
}

/** The settings of a process on a machine of Kutip. */
function settingsOf(
  { settings, passwords }: Machines,
  address: string,
  entry: Member["entry"],
  url: string,
): Record<string, string> {
  return {
    ...settings,
    ...SHARED,
    DATABASE_URL: `postgres://kutip@127.0.0.1:${POOLER_PORT}/kutip?pgbouncer=true`,
    DATABASE_DIRECT_URL: `postgres://kutip:${passwords.kutip}@127.0.0.1:${DATABASE_PORT}/kutip`,
    STRIPE_API_URL: `http://127.0.0.1:${GATEWAY_PORT}`,
    HOST: "0.0.0.0",
    PORT: String(WEB_PORT),
    BASE_URL: url,
    TRUSTED_PROXIES: HUB,
    METRICS_ADDRESS: `${address}:${METRICS_PORTS[entry]}`,
  };
}

/** Kills Postgres of the primary, and returns when another node leads and has its standbys. */
async function failOver(machines: Machines): Promise<void> {
  const { cluster } = machines;
  await cluster.untilStandbys(2);
  await losePrimary(machines);
  await cluster.untilStandbys(2);
}

async function losePrimary({ cluster }: Machines): Promise<void> {
  const primary = await cluster.untilLeader();
  cluster.killPostgres(primary);
  await cluster.untilLeader([primary.name], LEADER_SECONDS);
}

function databaseOutages(machines: Machines): Disturbance[] {
  const { cluster } = machines;
  return [
    { name: "failover: Postgres of the primary is killed", run: () => failOver(machines) },
    {
      name: ISOLATED,
      run: async () => {
        await cluster.untilStandbys(2);
        const primary = await cluster.untilLeader();
        await without({ from: primary.host }, async () => {
          await cluster.untilLeader([primary.name], LEADER_SECONDS);
        });
        await cluster.untilStandbys(2);
      },
    },
  ];
}

function lostNetworks(
  { cluster }: Machines,
  apps: readonly App[],
  { outageSeconds, random }: Size,
): Disturbance[] {
  const one = () => apps[Math.floor(random() * apps.length)] as App;
  const wait = () => pause(outageSeconds * 1_000);
  return [
    {
      name: CUT_OFF,
      run: async () => {
        const { host } = await cluster.untilLeader();
        await without({ from: one().address, to: host }, wait);
      },
    },
    {
      name: "lost network: a machine of Kutip and the gateway",
      run: () => without({ from: one().address, to: HUB, port: GATEWAY_PORT }, wait),
    },
    {
      name: "PgBouncer is killed and started again",
      run: async () => {
        const app = one();
        await app.pooler.stop();
        app.pooler = await app.startPooler();
      },
    },
  ];
}

/** Packets of a cut are lost until `during` ends. */
async function without(cut: Cut, during: () => Promise<void>): Promise<void> {
  lose([cut]);
  await during().finally(mend);
}

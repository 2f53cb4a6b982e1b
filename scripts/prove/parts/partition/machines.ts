import { randomBytes } from "node:crypto";
import { connect, createServer } from "node:net";
import path from "node:path";
import { sql } from "drizzle-orm";
import { db } from "@/db/client";
import { migrateDatabase } from "@/db/migrate";
import { provideEnv } from "@/lib/env";
import { StripePeer } from "@/tests/stripe-peer/peer";
import type { OnClose } from "../drill-parts";
import { type Cluster, startNodes, until } from "../patroni/cluster";
import { addressOf, EXAMPLES, type Node, type Passwords, PORTS } from "../patroni/config";
import { addMachine, HUB, onMachine, openSwitch } from "./network";

/** The gateway's port at the hub. */
export const GATEWAY_PORT = 4242;
const PATIENCE_SECONDS = 90;

/** Database nodes on machines of their own, migrated, and a gateway at the hub with its books in this process. */
export type Machines = {
  nodes: readonly Node[];
  cluster: Cluster;
  passwords: Passwords;
  peer: StripePeer;
  /** The database by all of its hosts, and the secret of the install. */
  settings: { DATABASE_URL: string; KUTIP_SECRET: string };
};

/** Opens a network with three database nodes and machines of these addresses for Kutip. This process uses the database. */
export async function openMachines(
  folder: string,
  addresses: Readonly<Record<string, string>>,
  onClose: OnClose,
): Promise<Machines> {
  openSwitch();
  for (const { name, host } of EXAMPLES) addMachine(name, host);
  for (const [name, address] of Object.entries(addresses)) addMachine(name, address);
  const nodes: Node[] = EXAMPLES.map((example) => ({
    ...example,
    ports: { ...PORTS },
    folder: path.join(folder, example.name),
  }));
  const word = () => randomBytes(12).toString("hex");
  const passwords = { postgres: word(), replicator: word(), kutip: word() };
  const cluster = await startNodes(nodes, passwords, {
    enter: ({ name }) => onMachine(name),
    onStart: (started) => onClose(() => started.stop()),
  });
  const peer = await openGateway();
  const settings = {
    DATABASE_URL: addressOf(nodes, passwords.kutip),
    KUTIP_SECRET: word() + word(),
  };
  provideEnv({ ...settings, STRIPE_API_URL: peer.origin, LOG_LEVEL: "silent" });
  // The first connections may go to standbys.
  await until("way to the primary", PATIENCE_SECONDS, () =>
    db.execute(sql`select 1`).catch(() => undefined),
  );
  await migrateDatabase();
  return { nodes, cluster, passwords, peer, settings };
}

/** A gateway at the hub, with its books in this process. */
async function openGateway(): Promise<StripePeer> {
  const peer = await new StripePeer().start();
  const port = Number(new URL(peer.origin).port);
  const relay = createServer((near) => {
    const far = connect(port, "127.0.0.1");
    near.on("error", () => far.destroy()).pipe(far);
    far.on("error", () => near.destroy()).pipe(near);
  });
  await new Promise<void>((resolve) => relay.listen(GATEWAY_PORT, HUB, resolve));
  return peer;
}

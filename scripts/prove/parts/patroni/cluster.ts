import { type ChildProcess, spawn } from "node:child_process";
import {
  chmodSync,
  chownSync,
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { type Account, accountFor } from "@/db/embedded/account";
import { etcdSettings, haproxyConfig, type Node, type Passwords, patroniConfig } from "./config";

/** Debian's programs that the drills start, and their packages. */
export const NEEDS = [
  { program: "patroni", package: "patroni" },
  { program: "etcd", package: "etcd-server" },
  { program: "haproxy", package: "haproxy" },
  { program: "../lib/postgresql/15/bin/postgres", package: "postgresql-15" },
  { program: "setpriv", package: "util-linux" },
];
const START_LIMIT_SECONDS = 120;
const POLL_MS = 100;
const LAST_LINES = 40;

export type Cluster = {
  nodes: readonly Node[];
  /** The node that takes writes, as Patroni sees it. */
  leader: () => Promise<Node | undefined>;
  /** Waits for a leader other than these names, and returns it. */
  untilLeader: (not?: readonly string[], limitSeconds?: number) => Promise<Node>;
  /** Waits until the leader has a standby that takes over without loss, and `count` standbys that stream. */
  untilStandbys: (count?: number, limitSeconds?: number) => Promise<void>;
  /** Kills Postgres of a node with all its processes; its Patroni lives on. */
  killPostgres: (node: Node) => void;
  /** Lets a standby take over however much it lacks. */
  allowLag: (primary: Node) => Promise<void>;
  /** Keeps what the node writes from its standbys: its senders stop. */
  holdBack: (node: Node) => void;
  /** Kills everything of a node: Postgres, Patroni and etcd. */
  killNode: (node: Node) => void;
  startNode: (node: Node) => void;
  stop: () => Promise<void>;
};

type Member = { name: string; role: string; state: string };
/** How to start a program on a node's machine, such as `ip netns exec pg1`. */
type Enter = (node: Node) => readonly string[];

type Options = {
  mode?: "synchronous" | "asynchronous";
  enter?: Enter;
  /** Called before anything is waited for, so that the cluster can be stopped at any moment. */
  onStart?: (cluster: Cluster) => void;
};

/** Starts three nodes from the operator's files, with Kutip's role and an empty database of its own. */
export async function startNodes(
  nodes: readonly Node[],
  passwords: Passwords,
  { mode = "synchronous", enter = () => [], onStart }: Options = {},
): Promise<Cluster> {
  const account = accountFor("/nonexistent");
  const children = new Set<ChildProcess>();
  for (const node of nodes) prepare(node, nodes, passwords, mode, account);
  const run = (node: Node, program: string, args: string[], env: Record<string, string>) => {
    const child = startAs(account, node.folder, [...enter(node), program, ...args], env, program);
    children.add(child);
    child.on("exit", () => children.delete(child));
  };
  const startNode = (node: Node) => {
    run(node, "etcd", [], etcdSettings(nodes, node));
    run(node, "patroni", [path.join(node.folder, "patroni.yml")], {});
  };
  const members = async (): Promise<Member[]> => {
    const answers = await Promise.all(nodes.map((node) => membersAt(node)));
    return answers.find((one) => one !== undefined) ?? [];
  };
  const leader = async () => {
    const found = await Promise.all(nodes.map(isPrimary));
    return nodes.find((_, at) => found[at]);
  };
  const cluster: Cluster = {
    nodes,
    leader,
    untilLeader: (not = [], limitSeconds = START_LIMIT_SECONDS) =>
      until("a primary", limitSeconds, async () => {
        const found = await leader();
        return found && !not.includes(found.name) ? found : undefined;
      }),
    untilStandbys: async (count = 1, limitSeconds = START_LIMIT_SECONDS) => {
      await until(`${count} standbys`, limitSeconds, async () => {
        const all = await members();
        const standbys = all.filter(
          ({ role, state }) => role !== "leader" && ["running", "streaming"].includes(state),
        );
        const isSafe =
          mode === "asynchronous" || standbys.some(({ role }) => role === "sync_standby");
        const primary = await leader();
        if (!isSafe || !primary || standbys.length < count) return undefined;
        return (await streaming(primary, passwords)) >= count ? true : undefined;
      }).catch(async (error: Error) => {
        const states = (await members()).map(({ name, role, state }) => `${name} ${role} ${state}`);
        const said = nodes.map((node) => `${node.name}:\n${lastLines(node)}`);
        throw new Error(
          `${error.message}; Patroni says: ${states.join(", ")}; the nodes said last:\n${said.join("\n")}`,
        );
      });
    },
    killPostgres: (node) => killIn(path.join(node.folder, "data")),
    allowLag: async ({ host, ports }) => {
      const answer = await fetch(`http://${host}:${ports.patroni}/config`, {
        method: "PATCH",
        body: JSON.stringify({ maximum_lag_on_failover: 1_000_000_000 }),
      });
      if (!answer.ok) throw new Error(`Patroni keeps its configuration: ${answer.status}`);
      await answer.text();
    },
    holdBack: (node) => {
      for (const pid of processesIn(path.join(node.folder, "data")))
        if (commandOf(pid).includes("walsender")) process.kill(pid, "SIGSTOP");
    },
    killNode: (node) => killIn(node.folder),
    startNode,
    stop: async () => {
      for (const node of nodes) killIn(node.folder);
      while (children.size > 0) await pause(POLL_MS);
    },
  };
  onStart?.(cluster);
  for (const node of nodes) startNode(node);
  const first = await cluster.untilLeader();
  await createDatabase(first, passwords, () => cluster.untilStandbys(2));
  return cluster;
}

/** HAProxy from the operator's file. The caller kills it. */
export function startHaproxy(
  nodes: readonly Node[],
  folder: string,
  port: number,
  enter: readonly string[] = [],
): ChildProcess {
  const account = accountFor("/nonexistent");
  const file = path.join(folder, "haproxy.cfg");
  writeFileSync(file, haproxyConfig(nodes, port));
  return startAs(account, folder, [...enter, "haproxy", "-db", "-f", file], {}, "haproxy");
}

function prepare(
  node: Node,
  nodes: readonly Node[],
  passwords: Passwords,
  mode: "synchronous" | "asynchronous",
  { uid, gid }: Account,
): void {
  mkdirSync(path.dirname(node.folder), { recursive: true });
  for (const folder of [
    node.folder,
    path.join(node.folder, "run"),
    path.join(node.folder, "etcd"),
  ]) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    chmodSync(folder, 0o700);
  }
  writeFileSync(
    path.join(node.folder, "patroni.yml"),
    patroniConfig(nodes, node, passwords, mode),
    { mode: 0o600 },
  );
  if (uid === undefined || gid === undefined) return;
  for (const name of ["", "run", "etcd", "patroni.yml"])
    chownSync(path.join(node.folder, name), uid, gid);
}

/** Starts a program as the account that runs Postgres, in the node's folder, by which its processes are found. The output goes to a file there. */
function startAs(
  { uid, gid }: Account,
  folder: string,
  command: readonly string[],
  env: Record<string, string>,
  name: string,
): ChildProcess {
  const log = openSync(path.join(folder, `${path.basename(name)}.log`), "a");
  const at = command.indexOf(name);
  const as =
    uid === undefined || gid === undefined
      ? []
      : ["setpriv", `--reuid=${uid}`, `--regid=${gid}`, "--clear-groups"];
  const [program = "", ...args] = [...command.slice(0, at), ...as, ...command.slice(at)];
  const child = spawn(program, args, {
    cwd: folder,
    env: {
      NODE_ENV: "production",
      PATH: `${process.env.PATH}:/usr/sbin:/sbin`,
      LANG: "C.UTF-8",
      ...env,
    },
    stdio: ["ignore", log, log],
    // Signals of the terminal are for the drill, which stops this process itself.
    detached: true,
  });
  closeSync(log);
  child.on("error", (error) => console.error(error));
  return child;
}

const processIds = (): number[] => readdirSync("/proc").map(Number).filter(Number.isInteger);

/** The processes that work in a folder or below it. */
function processesIn(folder: string): number[] {
  return processIds().filter((pid) => {
    try {
      return `${readlinkSync(`/proc/${pid}/cwd`)}/`.startsWith(`${folder}/`);
    } catch {
      return false;
    }
  });
}

const commandOf = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
};

// A process may start another one while the list is read.
function killIn(folder: string): void {
  for (let pids = processesIn(folder); pids.length > 0; pids = processesIn(folder)) {
    let killed = 0;
    for (const pid of pids)
      try {
        process.kill(pid, "SIGKILL");
        killed++;
      } catch {
        // It has already ended.
      }
    if (killed === 0 || pids.every(isZombie)) return;
  }
}

function isZombie(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .startsWith("Z");
  } catch {
    return true;
  }
}

/** The end of what Patroni and Postgres of a node wrote. */
const lastLines = ({ folder }: Node): string =>
  readFileSync(path.join(folder, "patroni.log"), "utf8").split("\n").slice(-LAST_LINES).join("\n");

/** What this node's Patroni says at one of its addresses; undefined without an answer. */
const asked = (node: Node, address: string) =>
  fetch(`http://${node.host}:${node.ports.patroni}/${address}`, {
    signal: AbortSignal.timeout(2_000),
  }).catch(() => undefined);

const isPrimary = async (node: Node): Promise<boolean> =>
  (await asked(node, "primary"))?.ok ?? false;

/** The members as this node's Patroni knows them; undefined without a whole answer. */
export async function membersAt(node: Node): Promise<Member[] | undefined> {
  const answer = await asked(node, "cluster");
  if (!answer?.ok) return undefined;
  // The time limit covers the body too: a node that is cut off may stop in the middle of it.
  const read = (await answer.json().catch(() => undefined)) as { members: Member[] } | undefined;
  return read?.members;
}

/** Statements as the superuser on one node; the connection is closed afterwards. */
export async function onNode<T extends object>(
  { host, ports }: Node,
  { postgres: password }: Passwords,
  statements: readonly string[],
  database = "postgres",
): Promise<T[]> {
  const client = new pg.Client({
    host,
    port: ports.postgres,
    user: "postgres",
    password,
    database,
    connectionTimeoutMillis: 3_000,
    query_timeout: 10_000,
  });
  client.on("error", () => undefined);
  await client.connect();
  try {
    let rows: T[] = [];
    for (const statement of statements) ({ rows } = await client.query<T>(statement));
    return rows;
  } finally {
    await client.end();
  }
}

async function streaming(node: Node, passwords: Passwords): Promise<number> {
  const rows = await onNode<{ n: number }>(node, passwords, [
    "select count(*)::int as n from pg_stat_replication where state = 'streaming'",
  ]).catch(() => []);
  return rows[0]?.n ?? 0;
}

async function createDatabase(
  node: Node,
  passwords: Passwords,
  ready: () => Promise<void>,
): Promise<void> {
  // Without a standby the strict mode lets nothing be written.
  await ready();
  await onNode(node, passwords, [
    `create role kutip login password '${passwords.kutip}'`,
    "create database kutip owner kutip",
  ]);
}

/** Polls until `look` finds something. Throws after the limit. */
export async function until<T>(
  what: string,
  limitSeconds: number,
  look: () => Promise<T | undefined>,
): Promise<T> {
  const began = performance.now();
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() - began > limitSeconds * 1_000)
      throw new Error(`no ${what} within ${limitSeconds} s`);
    await pause(POLL_MS);
  }
}

import { readFileSync } from "node:fs";

/** One machine of the database: Postgres, Patroni and etcd, with a folder of its own. */
export type Node = {
  name: string;
  host: string;
  ports: { postgres: number; patroni: number; etcd: number; peer: number };
  folder: string;
};
export type Passwords = { postgres: string; replicator: string; kutip: string };

/** Where the operator's example places its nodes. */
export const EXAMPLES = [1, 2, 3].map((number) => ({
  name: `pg${number}`,
  host: `10.0.0.1${number}`,
}));
export const PORTS = { postgres: 5432, patroni: 8008, etcd: 2379, peer: 2380 } as const;

const read = (name: string) => readFileSync(`deploy/patroni/${name}`, "utf8");

/** The addresses of the example, each replaced by that of a node. */
function placed(text: string, nodes: readonly Node[]): string {
  return EXAMPLES.reduce((changed, example, at) => {
    const node = nodes[at];
    if (!node) return changed;
    return Object.entries(PORTS).reduce(
      (inner, [name, port]) =>
        inner.replaceAll(
          `${example.host}:${port}`,
          `${node.host}:${node.ports[name as keyof typeof PORTS]}`,
        ),
      changed,
    );
  }, text);
}

/** The example of the first node, as it is on this one: only lists of all nodes stay the same. */
function own(text: string, node: Node): string {
  const [first] = EXAMPLES;
  const example = EXAMPLES.find(({ name }) => name === node.name);
  if (!first || !example) throw new Error(`no example for ${node.name}`);
  return text
    .split("\n")
    .map((line) =>
      EXAMPLES.slice(1).some(({ host }) => line.includes(host))
        ? line
        : line
            .replaceAll(first.host, example.host)
            .replace(/^(name: |ETCD_NAME=")pg1/, `$1${example.name}`),
    )
    .join("\n");
}

/** The environment of a node's etcd. */
export function etcdSettings(nodes: readonly Node[], node: Node): Record<string, string> {
  const text = placed(own(read("etcd.env"), node), nodes).replace(
    "/var/lib/etcd/kutip",
    `${node.folder}/etcd`,
  );
  return Object.fromEntries(
    [...text.matchAll(/^(ETCD_\w+)="(.*)"$/gm)].map(([, name, value]) => [name, value]),
  ) as Record<string, string>;
}

/** A node's Patroni configuration. Asynchronous: a write is acknowledged by one node, and any standby may take over. */
export function patroniConfig(
  nodes: readonly Node[],
  node: Node,
  passwords: Passwords,
  mode: "synchronous" | "asynchronous" = "synchronous",
): string {
  const text = placed(own(read("patroni.yml"), node), nodes)
    .replace("/var/lib/postgresql/15/kutip", `${node.folder}/data`)
    .replace("/var/lib/postgresql/kutip.pgpass", `${node.folder}/pgpass`)
    .replace("/var/run/postgresql", `${node.folder}/run`)
    .replace("PASSWORD-OF-POSTGRES", passwords.postgres)
    .replace("PASSWORD-OF-REPLICATOR", passwords.replicator)
    // The operator's account is named postgres; the one of a drill may have another name. The socket's folder is its own.
    .replace("local all postgres peer", "local all postgres trust")
    .replaceAll("10.0.0.0/24", `${node.host.replace(/\.\d+$/, ".0")}/24`);
  if (mode === "synchronous") return text;
  return text
    .replace("synchronous_mode: true", "synchronous_mode: false")
    .replace("synchronous_mode_strict: true", "synchronous_mode_strict: false")
    .replace(/maximum_lag_on_failover: \d+/, "maximum_lag_on_failover: 1000000000");
}

/** HAProxy on a machine of Kutip, listening on this port of the loopback. */
export function haproxyConfig(nodes: readonly Node[], port: number): string {
  const checked = nodes.reduce(
    (text, node) =>
      text.replace(
        new RegExp(`(server ${node.name} \\S+) check port ${PORTS.patroni}`),
        `$1 check port ${node.ports.patroni}`,
      ),
    read("haproxy.cfg"),
  );
  return placed(checked, nodes).replace("127.0.0.1:5000", `127.0.0.1:${port}`);
}

/** DATABASE_URL with all nodes in it; Kutip takes the one that takes writes. */
export const addressOf = (nodes: readonly Node[], password: string): string =>
  `postgres://kutip:${password}@${nodes.map(({ host, ports }) => `${host}:${ports.postgres}`).join(",")}/kutip`;

import { expect, test } from "vitest";
import { parse } from "yaml";
import {
  addressOf,
  etcdSettings,
  EXAMPLES,
  haproxyConfig,
  type Node,
  patroniConfig,
  PORTS,
} from "./config";

const passwords = { postgres: "one", replicator: "two", kutip: "three" };
const nodes: Node[] = [1, 2, 3].map((number) => ({
  name: `pg${number}`,
  host: "127.0.0.1",
  ports: {
    postgres: 5000 + number,
    patroni: 6000 + number,
    etcd: 7000 + number,
    peer: 8000 + number,
  },
  folder: `/drill/pg${number}`,
}));
const [, second] = nodes as [Node, Node, Node];

test("a node's Patroni has its own name, addresses and folder, and knows every etcd", () => {
  expect(parse(patroniConfig(nodes, second, passwords))).toMatchObject({
    name: "pg2",
    restapi: { listen: "127.0.0.1:6002", connect_address: "127.0.0.1:6002" },
    etcd: { hosts: ["127.0.0.1:7001", "127.0.0.1:7002", "127.0.0.1:7003"] },
    postgresql: {
      listen: "127.0.0.1:5002",
      connect_address: "127.0.0.1:5002",
      data_dir: "/drill/pg2/data",
      pgpass: "/drill/pg2/pgpass",
      parameters: { unix_socket_directories: "/drill/pg2/run" },
      authentication: { superuser: { password: "one" }, replication: { password: "two" } },
      pg_hba: expect.arrayContaining(["host kutip kutip 127.0.0.0/24 scram-sha-256"]) as unknown,
    },
  });
});

test("no placeholder and no address of the example is left", () => {
  const texts = [
    patroniConfig(nodes, second, passwords),
    haproxyConfig(nodes, 4_000),
    JSON.stringify(etcdSettings(nodes, second)),
  ];
  for (const text of texts) expect(text).not.toMatch(/10\.0\.0\.|PASSWORD-OF|\/var\/lib/);
});

test("the operator's nodes get the operator's example, but for folders and passwords", () => {
  const real = EXAMPLES.map((example) => ({ ...example, ports: { ...PORTS }, folder: "/f" }));
  const [first] = real as [Node, Node, Node];
  expect(parse(patroniConfig(real, first, passwords))).toMatchObject({
    name: "pg1",
    restapi: { listen: "10.0.0.11:8008" },
    bootstrap: { dcs: { synchronous_mode: true, synchronous_mode_strict: true } },
  });
  expect(haproxyConfig(real, 5_000)).toContain("server pg3 10.0.0.13:5432 check port 8008");
});

test("the times of the example fit together: Patroni keeps its lead while etcd answers in time", () => {
  const { dcs } = (
    parse(patroniConfig(nodes, second, passwords)) as {
      bootstrap: { dcs: Record<"ttl" | "loop_wait" | "retry_timeout", number> };
    }
  ).bootstrap;
  expect(dcs.loop_wait + 2 * dcs.retry_timeout).toBeLessThanOrEqual(dcs.ttl);
});

test("without the protection neither synchronous mode nor the limit of lag is left", () => {
  expect(parse(patroniConfig(nodes, second, passwords, "asynchronous"))).toMatchObject({
    bootstrap: {
      dcs: {
        synchronous_mode: false,
        synchronous_mode_strict: false,
        maximum_lag_on_failover: 1_000_000_000,
      },
    },
  });
});

test("a node's etcd has its own name and addresses, and the list of all", () => {
  expect(etcdSettings(nodes, second)).toMatchObject({
    ETCD_NAME: "pg2",
    ETCD_DATA_DIR: "/drill/pg2/etcd",
    ETCD_LISTEN_CLIENT_URLS: "http://127.0.0.1:7002",
    ETCD_LISTEN_PEER_URLS: "http://127.0.0.1:8002",
    ETCD_INITIAL_CLUSTER:
      "pg1=http://127.0.0.1:8001,pg2=http://127.0.0.1:8002,pg3=http://127.0.0.1:8003",
  });
});

test("HAProxy asks each node's Patroni and passes to its Postgres", () => {
  const text = haproxyConfig(nodes, 4_000);
  expect(text).toContain("bind 127.0.0.1:4000\n");
  for (const number of [1, 2, 3])
    expect(text).toContain(
      `server pg${number} 127.0.0.1:${5000 + number} check port ${6000 + number}\n`,
    );
});

test("Kutip's address names all nodes", () => {
  expect(addressOf(nodes, "x")).toBe(
    "postgres://kutip:x@127.0.0.1:5001,127.0.0.1:5002,127.0.0.1:5003/kutip",
  );
});

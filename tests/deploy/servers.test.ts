import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { at, type Fields, readText } from "./files";

test("servers of one's own look at their tables as often as the embedded one", () => {
  const [, embedded] =
    /autovacuum_naptime: "(\w+)"/.exec(readFileSync("db/embedded/cluster.ts", "utf8")) ?? [];
  expect(
    at(
      parse(readText("patroni/patroni.yml")) as Fields,
      "bootstrap.dcs.postgresql.parameters.autovacuum_naptime",
    ),
  ).toBe(embedded);
  expect(readText("compose.yaml")).toContain(`autovacuum_naptime=${embedded},`);
  expect(readText("citus/postgresql.conf")).toContain(`autovacuum_naptime = ${embedded}\n`);
});

test("the page about several processes asks HAProxy at the socket of the example", () => {
  const [, socket] =
    /socat - (\S+)`/.exec(readFileSync("docs/operations/processes.md", "utf8")) ?? [];
  expect(readText("proxies/haproxy.cfg")).toMatch(new RegExp(`^ +stats socket ${socket} `, "m"));
});

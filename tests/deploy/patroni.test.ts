import { expect, test } from "vitest";
import { parse } from "yaml";
import { at, type Fields, readText } from "./files";

const patroni = parse(readText("patroni/patroni.yml")) as Fields;

// Each of these was wrong once, and a drill (`npm run prove -- failover` or `partition`) lost writes or a node.
test("a write is acknowledged on two nodes, and without a second one there are no writes", () => {
  expect(at(patroni, "bootstrap.dcs.synchronous_mode")).toBe(true);
  expect(at(patroni, "bootstrap.dcs.synchronous_mode_strict")).toBe(true);
});

test("an old primary asks before it renews its lead", () => {
  expect(patroni).toHaveProperty("etcd");
  expect(patroni).not.toHaveProperty("etcd3");
  const of = (name: string) => Number(at(patroni, `bootstrap.dcs.${name}`));
  expect(of("loop_wait") + 2 * of("retry_timeout")).toBeLessThanOrEqual(of("ttl"));
});

test("a node that pg_rewind cannot lead back is copied anew", () => {
  expect(at(patroni, "postgresql.remove_data_directory_on_rewind_failure")).toBe(true);
});

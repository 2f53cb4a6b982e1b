import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connectClient, connectionOptions } from "./connection";
import { startCluster, stopCluster } from "./embedded/cluster";

describe("several hosts in the address", () => {
  const folders = [0, 1].map(() => mkdtempSync(path.join(os.tmpdir(), "kutip-hosts-")));
  const [standby = "", primary = ""] = folders;
  let sockets: string[] = [];
  beforeAll(async () => {
    const [first, second] = await Promise.all(
      [standby, primary].map((folder) => startCluster(folder, { settings: { fsync: "off" } })),
    );
    const client = await connectClient(first?.url);
    await client.query("alter system set default_transaction_read_only = on");
    await client.query("select pg_reload_conf()");
    await client.end();
    sockets = [first?.socketDir ?? "", second?.socketDir ?? ""];
  });
  afterAll(() => {
    for (const folder of folders) {
      stopCluster(folder);
      rmSync(folder, { recursive: true, force: true });
    }
  });

  const write = async (pool: pg.Pool) =>
    (await pool.query<{ own: string }>(
      "create temp table if not exists t (a int); select current_setting('unix_socket_directories') as own",
    )) as unknown;

  async function firstThatWorks(pool: pg.Pool): Promise<void> {
    for (let tries = 0; ; tries++) {
      try {
        await write(pool);
        return;
      } catch (error) {
        if (tries === 3) throw error;
      }
    }
  }

  it("a client outside the pool goes to the one that takes writes", async () => {
    const client = await connectClient(
      `postgres://kutip@localhost/kutip?host=/nowhere,${sockets.join(",")}`,
    );
    const { rows } = await client.query<{ own: string }>(
      "select current_setting('unix_socket_directories') as own",
    );
    expect(rows[0]?.own).toBe(sockets[1]);
    await client.end();
  });

  it("one that is away is passed over", async () => {
    const pool = new pg.Pool({
      ...connectionOptions(`postgres://kutip@localhost/kutip?host=/nowhere,${sockets[1]}`),
    });
    await firstThatWorks(pool);
    await pool.end();
  });

  it("one that takes no writes is passed over", async () => {
    const pool = new pg.Pool({
      ...connectionOptions(`postgres://kutip@localhost/kutip?host=${sockets.join(",")}`),
    });
    await firstThatWorks(pool);
    const { rows } = await pool.query<{ own: string }>(
      "select current_setting('unix_socket_directories') as own",
    );
    expect(rows[0]?.own).toBe(sockets[1]);
    await pool.end();
  });
});

describe("one host", () => {
  it.each([
    [
      "postgres://ana:p%40ss@db.example:6432/shop",
      { connectionString: "postgres://ana:p%40ss@db.example:6432/shop" },
    ],
    [
      "postgres://kutip@localhost/kutip?host=%2Frun%2Fpg",
      { host: "/run/pg", user: "kutip", database: "kutip" },
    ],
  ])("%s is read as it is written", (url, expected) => {
    expect(connectionOptions(url)).toMatchObject(expected);
  });

  it("behind PgBouncer nothing is sent that it refuses", () => {
    expect(connectionOptions("postgres://a@b/c?pgbouncer=true").options).toBeUndefined();
  });
});

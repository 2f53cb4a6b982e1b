import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import net, { type AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { env, provideEnv } from "@/lib/env";
import { connectClient, connectionOptions, isPooled, listenOptions } from "./connection";
import { LimitedClient } from "./limited-client";
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

  it("a pool signs in with the password of the address", async () => {
    const pool = new pg.Pool({
      ...connectionOptions(`postgres://kutip:p%40ss@localhost/kutip?host=/nowhere,${sockets[1]}`),
    });
    await firstThatWorks(pool);
    const client = await pool.connect();
    expect(client.password).toBe("p@ss");
    client.release();
    await pool.end();
  });

  it("one that is away is passed over", async () => {
    const pool = new pg.Pool({
      ...connectionOptions(`postgres://kutip@localhost/kutip?host=/nowhere,${sockets[1]}`),
    });
    await firstThatWorks(pool);
    await pool.end();
  });

  it("one that dies right after the sign-in fails the call, and nothing else", async () => {
    const dying = net.createServer((near) => {
      const far = net.connect(`${sockets[1]}/.s.PGSQL.5432`);
      far.on("error", () => undefined).on("close", () => near.destroy());
      near.on("error", () => undefined).on("close", () => far.destroy());
      far.on("data", (bytes) => near.write(bytes));
      near.on("data", (bytes) => {
        if (bytes.includes("transaction_read_only")) near.resetAndDestroy();
        else far.write(bytes);
      });
    });
    await new Promise<void>((resolve) => dying.listen(0, "127.0.0.1", resolve));
    const { port } = dying.address() as AddressInfo;
    const uncaught: unknown[] = [];
    const before = process.listeners("uncaughtException");
    process.removeAllListeners("uncaughtException");
    process.on("uncaughtException", (error) => uncaught.push(error));
    const pool = new pg.Pool({
      ...connectionOptions(`postgres://kutip@127.0.0.1:${port},127.0.0.1:${port}/kutip`),
    });
    await expect(pool.connect()).rejects.toThrow();
    await pool.end();
    await new Promise((resolve) => dying.close(resolve));
    process.removeAllListeners("uncaughtException");
    for (const listener of before) process.on("uncaughtException", listener);
    expect(uncaught).toEqual([]);
  });

  it("a pool starts at the host that another pool found", async () => {
    const url = `postgres://kutip@localhost/kutip?host=/nowhere,/nowhere2,${sockets[1]}`;
    const first = new pg.Pool({ ...connectionOptions(url) });
    await firstThatWorks(first);
    await first.end();
    const second = new pg.Pool({ ...connectionOptions(url) });
    await write(second);
    await second.end();
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

  it("the example for PgBouncer sets the limits that a direct connection asks for", () => {
    const { options = "" } = connectionOptions("postgres://a@b/c");
    const query = /^kutip = .* connect_query='(.*)'$/m.exec(
      readFileSync("deploy/proxies/pgbouncer.ini", "utf8"),
    )?.[1];
    const wanted = [...options.matchAll(/-c (\w+)=(\w+)/g)].map(
      ([, name, value]) => `set ${name} = ''${value}''`,
    );
    expect(query?.split("; ")).toEqual(wanted);
  });

  it("TLS has the same certificates for one host, for several and for live changes", () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), "kutip-tls-"));
    const files = ["sslrootcert", "sslcert", "sslkey"].map((name) => {
      writeFileSync(path.join(folder, name), `the file of ${name}`);
      return `${name}=${path.join(folder, name)}`;
    });
    const url = (hosts: string) => `postgres://a@${hosts}/c?sslmode=verify-full&${files.join("&")}`;
    const before = env.DATABASE_URL ?? "";
    try {
      provideEnv({ DATABASE_URL: url("one") });
      const listening = listenOptions().ssl;
      expect(listening).toEqual({
        ca: "the file of sslrootcert",
        cert: "the file of sslcert",
        key: "the file of sslkey",
      });
      const { ssl } = new pg.Client(connectionOptions());
      expect(ssl).toMatchObject({ ca: "the file of sslrootcert", cert: "the file of sslcert" });
      expect(connectionOptions(url("one,two")).ssl).toEqual(listening);
    } finally {
      provideEnv({ DATABASE_URL: before });
      rmSync(folder, { recursive: true });
    }
  });

  it("behind PgBouncer statements are sent without their names", async () => {
    const name = "one_and_only";
    const named = new LimitedClient({ ...(connectionOptions() as object), withoutNames: true });
    await named.connect();
    await named.query({ name, text: "select $1::int as n", values: [1] });
    const { rows } = await named.query("select from pg_prepared_statements");
    expect(rows).toHaveLength(0);
    await named.end();
  });

  it("live changes, migrations and long work take the direct address; requests do not", async () => {
    const pooled = "postgres://a@pooler:6432/c?pgbouncer=true";
    const before = env.DATABASE_URL ?? "";
    provideEnv({ DATABASE_URL: pooled });
    expect(isPooled()).toBe(true);
    provideEnv({ DATABASE_DIRECT_URL: "postgres://a@server:5432/c" });
    expect(isPooled()).toBe(false);
    expect(listenOptions()).toMatchObject({ host: "server", port: 5432 });
    expect(connectionOptions(undefined, "long").options).toContain("statement_timeout");
    expect(connectionOptions()).toMatchObject({ withoutNames: true });
    provideEnv({ DATABASE_URL: before, DATABASE_DIRECT_URL: "" });
  });
});

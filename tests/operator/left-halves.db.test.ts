import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { closePool, pool } from "@/db/client";
import { childEnv } from "@/lib/env";
import { program } from "../money/killed";

const work = mkdtempSync(path.join(os.tmpdir(), "kutip-halves-"));
const target = path.join(work, "target");
const file = path.join(target, "copy");
const dumping = path.join(work, "dumping");
const command = program("copy-child", "tests/operator");

// Takes the place of Postgres' own, and hangs with half of its file written.
const pgDump = `#!/bin/sh
[ "$1" = --version ] && echo "(PostgreSQL) 99.0" && exit
for one in "$@"; do case $one in --file=*) printf half > "\${one#--file=}" ;; esac; done
echo $$ > ${dumping}
exec tail -f /dev/null
`;

beforeAll(async () => {
  writeFileSync(path.join(work, "pg_dump"), pgDump);
  chmodSync(path.join(work, "pg_dump"), 0o755);
  vi.stubEnv("PATH", `${work}:${childEnv().PATH}`);
  vi.stubEnv("KUTIP_DATA_DIR", path.join(work, "data"));
  await command.make();
});
beforeEach(() => {
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await command.remove();
  await closePool();
  rmSync(work, { recursive: true, force: true });
});

const halves = () => readdirSync(target).filter((name) => name.endsWith(".part"));
const slowly = { timeout: 60_000 };

/** The process of pg_dump, once it has written half; 0 before. */
const dumper = () => (existsSync(dumping) ? Number(readFileSync(dumping, "utf8")) : 0);

/** Lets no export come to its end. Returns how to let it. */
async function holdUp(): Promise<() => Promise<void>> {
  const client = await pool("long").connect();
  await client.query("begin; set local idle_in_transaction_session_timeout = 0; lock packages");
  return async () => {
    await client.query("rollback");
    client.release();
  };
}

/** Runs a command until half of its copy is there, and ends it then. */
async function endHalfWay(name: string, signal: NodeJS.Signals): Promise<void> {
  const child: ChildProcess = command.start(name, file);
  const ended = once(child, "close");
  await expect.poll(halves, slowly).toHaveLength(1);
  if (name === "backup") await expect.poll(dumper, slowly).toBeGreaterThan(0);
  child.kill(signal);
  await ended;
}

test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
  "an export that %s ends leaves no half copy",
  async (signal) => {
    const goOn = await holdUp();
    await endHalfWay("export", signal).finally(goOn);
    expect(readdirSync(target)).toEqual([]);
  },
);

test("a backup that a signal ends leaves neither half a copy nor its pg_dump", async () => {
  await endHalfWay("backup", "SIGTERM");
  expect(readdirSync(target)).toEqual([]);
  await expect.poll(() => isRunning(dumper()), slowly).toBe(false);
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test("the next copy to the same file removes what killed commands left, and nothing of others", async () => {
  const goOn = await holdUp();
  await endHalfWay("export", "SIGKILL").finally(goOn);
  expect(halves()).toHaveLength(1);
  const others = [`copy.${process.pid}-0a1b2c3d.part`, "copy.notes.part", "other.0a1b2c3d.part"];
  const earlier = "copy.0a1b2c3d.part";
  for (const name of [...others, earlier]) writeFileSync(path.join(target, name), "");
  await command.run("export", file);
  expect(readdirSync(target).sort()).toEqual([...others, "copy"].sort());
});

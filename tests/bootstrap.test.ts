import { type ChildProcess, spawn } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { heldLock } from "../scripts/lock.mjs";
import { processStat } from "../scripts/process.mjs";

let folder = "";
const started: ChildProcess[] = [];
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), "kutip-bootstrap-"));
});
afterEach(() => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

const alive = (pid: number) => {
  const state = processStat(pid)?.state;
  return state !== undefined && state !== "Z";
};
const run = (script: string, env: NodeJS.ProcessEnv = process.env): ChildProcess => {
  const child = spawn("sh", ["-c", script], { env, stdio: "ignore" });
  started.push(child);
  return child;
};

describe.runIf(process.platform === "linux")("the install lock", () => {
  const file = () => path.join(folder, "lock");
  const taken = async () => {
    let waited = false;
    const lock = await heldLock(file(), () => (waited = true));
    lock.release();
    return { waited, left: existsSync(file()) };
  };

  test.each([
    ["of a process that is gone", () => "999999 1"],
    ["of our own number, which a container gives again", () => `${process.pid} 1`],
    ["of a number that another process has by now", () => `${process.ppid} 1`],
    ["that says nothing", () => ""],
  ])("is taken from a lock %s", async (_, content) => {
    writeFileSync(file(), content());
    expect(await taken()).toMatchObject({ left: false });
  });

  test("is taken from a process that has ended and was not waited for", async () => {
    const pids = path.join(folder, "zombie");
    run(`sleep 0 & echo $! >${pids}; exec sleep 60`);
    await expect
      .poll(() => existsSync(pids) && processStat(Number(readFileSync(pids, "utf8")))?.state)
      .toBe("Z");
    const pid = Number(readFileSync(pids, "utf8"));
    writeFileSync(file(), `${pid} ${processStat(pid)?.startedAt}`);
    expect(await taken()).toMatchObject({ left: false });
  });

  test("is waited for while its holder lives, and the wait names the file", async () => {
    const holder = run("exec sleep 60");
    await expect.poll(() => processStat(holder.pid ?? 0)).not.toBeNull();
    writeFileSync(file(), `${holder.pid} ${processStat(holder.pid ?? 0)?.startedAt}`);
    let waitedFor = "";
    const waiting = heldLock(file(), (name: string) => {
      waitedFor = name;
      holder.kill("SIGKILL");
    });
    (await waiting).release();
    expect(waitedFor).toBe(file());
  });

  test("is held by the child that it was shared with, and let go by its holder alone", async () => {
    const child = run("exec sleep 60");
    const first = await heldLock(file());
    first.share(child.pid);
    expect(readFileSync(file(), "utf8")).toContain(`\n${child.pid} `);
    writeFileSync(file(), "1 1");
    first.release();
    expect(readFileSync(file(), "utf8")).toBe("1 1");
  });
});

describe.runIf(process.platform === "linux")("a stop during the install", () => {
  /** A project whose npm never ends, started as npm does it: a shell below npm. Returns the numbers of npm's stand-in and of the install. */
  async function startInstall() {
    mkdirSync(path.join(folder, "scripts"));
    for (const name of ["bootstrap", "lock", "stamp", "process"])
      copyFileSync(`scripts/${name}.mjs`, path.join(folder, "scripts", `${name}.mjs`));
    writeFileSync(path.join(folder, "package.json"), "{}");
    writeFileSync(
      path.join(folder, "package-lock.json"),
      JSON.stringify({ packages: { "": {}, "node_modules/missing": { version: "1.0.0" } } }),
    );
    const pids = path.join(folder, "pids");
    const npm = path.join(folder, "npm.js");
    writeFileSync(
      npm,
      `const { spawn } = require("node:child_process");
       const helper = spawn("sleep", ["60"]);
       require("node:fs").writeFileSync(${JSON.stringify(pids)}, [process.ppid, process.pid, helper.pid].join(" "));
       setInterval(() => {}, 1000);`,
    );
    const parent = run(
      `sh -c '"${process.execPath}" ${folder}/scripts/bootstrap.mjs start; true'; true`,
      { ...process.env, TMPDIR: folder, npm_execpath: npm, npm_lifecycle_event: "start" },
    );
    await expect.poll(() => existsSync(pids), { timeout: 10_000 }).toBe(true);
    await expect.poll(() => readFileSync(pids, "utf8").split(" ").length).toBe(3);
    const [bootstrap = 0, ...install] = readFileSync(pids, "utf8").split(" ").map(Number);
    return { parent, bootstrap, all: [bootstrap, ...install] };
  }

  test.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)("by %s ends everything", async (signal) => {
    const { bootstrap, all } = await startInstall();
    process.kill(bootstrap, signal);
    await expect.poll(() => all.filter(alive), { timeout: 10_000 }).toEqual([]);
  });

  test("by the end of npm ends everything", async () => {
    const { parent, all } = await startInstall();
    parent.kill("SIGKILL");
    await expect.poll(() => all.filter(alive), { timeout: 10_000 }).toEqual([]);
  });
});

import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
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

/** The scripts of which a project of a test has copies. */
const SCRIPTS = [
  "bootstrap.mjs",
  "npm-parents.mjs",
  "end-with-npm.mjs",
  "lock.mjs",
  "stamp.mjs",
  "process.mjs",
  "build.mjs",
  "compute-bundle.mjs",
  "contract-loader.cjs",
];

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
    // It ends after the exec: a shell would wait for it.
    run(`sleep 0.5 & echo $! >${pids}; exec sleep 60`);
    await expect
      .poll(() => existsSync(pids) && processStat(Number(readFileSync(pids, "utf8")))?.state, {
        timeout: 60_000,
      })
      .toBe("Z");
    const pid = Number(readFileSync(pids, "utf8"));
    writeFileSync(file(), `${pid} ${processStat(pid)?.startedAt}`);
    expect(await taken()).toMatchObject({ left: false });
  });

  test("is waited for while its holder lives, and the wait names the file", async () => {
    const holder = run("exec sleep 60");
    await expect.poll(() => processStat(holder.pid ?? 0), { timeout: 60_000 }).not.toBeNull();
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
  /** A project with a fake npm that never ends, started as npm does it: by a shell below npm. Returns the process ids of the fake npm and of the install. */
  async function startInstall() {
    mkdirSync(path.join(folder, "scripts"));
    for (const name of SCRIPTS) copyFileSync(`scripts/${name}`, path.join(folder, "scripts", name));
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

describe("a project with a current build", () => {
  /** A project without its development packages. `stale` changes a source after the build. */
  function newProject({ stale }: { stale: boolean }) {
    mkdirSync(path.join(folder, "scripts"));
    mkdirSync(path.join(folder, "app"));
    mkdirSync(path.join(folder, "build"));
    mkdirSync(path.join(folder, "node_modules"));
    for (const name of SCRIPTS) copyFileSync(`scripts/${name}`, path.join(folder, "scripts", name));
    const write = (name: string, text: string) => writeFileSync(path.join(folder, name), text);
    write("package.json", "{}");
    const lock = { "": {}, "node_modules/tool": { version: "1.0.0", dev: true } };
    write("package-lock.json", JSON.stringify({ packages: lock }));
    write("node_modules/.package-lock.json", JSON.stringify({ packages: {} }));
    write("app/page.tsx", "built");
    write("build/kutip.js", `require("node:fs").writeFileSync("ran", "yes")`);
    write("npm.js", `require("node:fs").writeFileSync("npm-ran", process.argv.slice(2).join(" "))`);
    const stamp = `import("./scripts/stamp.mjs").then((m) => m.writeStamp("bundles", m.sourcesHash()))`;
    execFileSync(process.execPath, ["-e", stamp], { cwd: folder });
    if (stale) write("app/page.tsx", "changed");
  }
  const start = (task: string) =>
    spawnSync(process.execPath, [path.join(folder, "scripts/bootstrap.mjs"), task], {
      cwd: folder,
      env: { ...process.env, TMPDIR: folder, npm_execpath: path.join(folder, "npm.js") },
    });
  const asked = () =>
    existsSync(path.join(folder, "npm-ran")) && readFileSync(path.join(folder, "npm-ran"), "utf8");

  test("runs without the packages of builds and tests", () => {
    newProject({ stale: false });
    expect(start("kutip").status).toBe(0);
    expect([asked(), existsSync(path.join(folder, "ran"))]).toEqual([false, true]);
  });

  test.each([
    ["kutip", true],
    ["test", false],
  ])("installs them for %s when they are needed", (task, stale) => {
    newProject({ stale });
    start(task);
    expect(asked()).toMatch(/^ci .*--include=dev/);
  });

  describe.runIf(process.platform === "linux")("while a process runs from its folder", () => {
    /** A server as the launcher starts it, or as npm does. */
    function serve(mode: string, program = "build/server.js"): number {
      writeFileSync(path.join(folder, "build/server.js"), "setInterval(() => {}, 1000)");
      const child = spawn(process.execPath, [program], {
        cwd: folder,
        env: { NODE_ENV: mode } as NodeJS.ProcessEnv,
        stdio: "ignore",
      });
      started.push(child);
      return child.pid ?? 0;
    }

    test.each([
      ["build", false, () => "build/server.js"],
      ["kutip", true, () => path.join(folder, "build/server.js")],
    ])("%s takes no packages from it", (task, stale, program) => {
      newProject({ stale });
      const pid = serve("production", program());
      const { status, stderr } = start(task);
      expect([status, asked()]).toEqual([1, false]);
      expect(String(stderr)).toContain(`process ${pid} serves from this folder`);
    });

    test("a command that needs nothing runs", () => {
      newProject({ stale: false });
      serve("production");
      expect(start("kutip").status).toBe(0);
    });

    test.each([
      ["a supervisor starts the other one", "worker", "production"],
      ["it is being developed", "build", "development"],
    ])("nothing is refused where %s", (_, task, mode) => {
      newProject({ stale: true });
      serve(mode);
      start(task);
      expect(asked()).toMatch(/^ci /);
    });
  });
});

describe("what bootstrap hands over to", () => {
  /** An install that is complete, with a program in the place of Kutip's. */
  function newInstall(program: string) {
    mkdirSync(path.join(folder, "scripts"));
    for (const name of SCRIPTS) copyFileSync(`scripts/${name}`, path.join(folder, "scripts", name));
    mkdirSync(path.join(folder, "node_modules"));
    const lockfile = JSON.stringify({ packages: { "": {} } });
    for (const name of ["package.json", "package-lock.json", "node_modules/.package-lock.json"])
      writeFileSync(path.join(folder, name), lockfile);
    mkdirSync(path.join(folder, "build"));
    for (const name of ["worker", "kutip"])
      writeFileSync(path.join(folder, "build", `${name}.js`), program);
    const stamp = path.join(folder, "scripts/stamp.mjs");
    const stamped = `import("${stamp}").then((it) => it.writeStamp("bundles", it.sourcesHash()))`;
    spawnSync(process.execPath, ["-e", stamped]);
  }

  /** Runs a task; its program prints its NODE_OPTIONS. `uid` is who runs it. */
  function handOver(task: string, uid: number, options = "") {
    newInstall("console.log(process.env.NODE_OPTIONS)");
    const { stdout, stderr } = spawnSync(
      process.execPath,
      [path.join(folder, "scripts/bootstrap.mjs"), task],
      {
        encoding: "utf8",
        env: {
          ...process.env,
          TMPDIR: folder,
          NODE_OPTIONS: `--import=data:text/javascript,process.getuid=()=>${uid} ${options}`.trim(),
        },
      },
    );
    return { options: stdout, said: stderr };
  }

  test("a server has a memory limit, and root is warned", () => {
    const { options, said } = handOver("worker", 0);
    expect(options).toContain("--max-old-space-size=1024 --max-semi-space-size=16");
    expect(said).toContain("Kutip runs as root");
  });

  test("the operator's own limit stays, and a user of its own is not warned", () => {
    const { options, said } = handOver("worker", 1_000, "--max-old-space-size=300");
    expect(options.match(/--max-old-space-size=\d+/g)).toEqual(["--max-old-space-size=300"]);
    expect(said).toBe("");
  });

  test("commands have no limit and no warning", () => {
    const { options, said } = handOver("kutip", 0);
    expect(options).not.toContain("--max-old-space-size");
    expect(said).toBe("");
  });

  test("takes the place of the process that was started, with its exit code", () => {
    newInstall("console.log(process.pid); process.exit(7)");
    const { pid, stdout, status } = spawnSync(
      process.execPath,
      [path.join(folder, "scripts/bootstrap.mjs"), "kutip"],
      { encoding: "utf8", env: { ...process.env, TMPDIR: folder } },
    );
    expect([Number(stdout), status]).toEqual([pid, 7]);
  });

  test.runIf(process.platform === "linux")("ends with npm", async () => {
    const ready = path.join(folder, "ready");
    const forked = path.join(folder, "forked");
    newInstall(`const { fork } = require("node:child_process");
      const { writeFileSync } = require("node:fs");
      if (process.argv[2] === "forked") {
        writeFileSync(${JSON.stringify(forked)}, JSON.stringify([process.execArgv, process.env.KUTIP_NPM_PARENTS ?? null]));
        process.exit();
      }
      setInterval(() => {}, 1000);
      fork(__filename, ["forked"]).on("exit", () => writeFileSync(${JSON.stringify(ready)}, String(process.pid)));`);
    const npm = run(
      `sh -c '"${process.execPath}" ${folder}/scripts/bootstrap.mjs kutip; true'; true`,
      { ...process.env, TMPDIR: folder, npm_lifecycle_event: "kutip" },
    );
    await expect
      .poll(() => existsSync(ready) && readFileSync(ready, "utf8"), { timeout: 20_000 })
      .toMatch(/^\d+$/);
    expect(JSON.parse(readFileSync(forked, "utf8"))).toEqual([[], null]);
    const program = Number(readFileSync(ready, "utf8"));
    expect(alive(program)).toBe(true);
    npm.kill("SIGKILL");
    await expect.poll(() => alive(program), { timeout: 10_000 }).toBe(false);
  });
});

import { spawn } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { env, provideEnv } from "@/lib/env";
import { Child, startAhead, type Watch } from "@/lib/supervisor/children";
import { haveStarted } from "@/lib/supervisor/started";

vi.mock(import("node:child_process"), { spy: true });
const actual = await vi.importActual<typeof import("node:child_process")>("node:child_process");

let folder = "";
let child: Child | undefined;
let said: string[] = [];
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), "kutip-child-"));
  said = [];
});
afterEach(async () => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  await child?.stop(100);
  rmSync(folder, { recursive: true, force: true });
});

/** A process that lives for ever, watched in milliseconds. */
function start(answers: Watch["answers"], startMs = 0): Child {
  const [script, preload] = ["lives.mjs", "nothing.mjs"].map((name) => path.join(folder, name));
  writeFileSync(
    script ?? "",
    `import { appendFileSync } from "node:fs";
    appendFileSync(${JSON.stringify(path.join(folder, "ids"))}, process.argv.at(-1) + "\\n");
    setInterval(() => {}, 1000);`,
  );
  writeFileSync(preload ?? "", "");
  child = new Child(
    { name: "web", args: [script ?? ""], mode: "production", preload: preload ?? "" },
    (text) => said.push(text),
    { answers, everyMs: 10, misses: 3, startMs },
  );
  child.start();
  return child;
}
const silence = "web lives but does not answer, ending it";

test("a process that lives and no longer answers is started again, after a pause that grows", async () => {
  let answering = 5;
  const watched = start(async () => answering-- > 0);
  const first = watched.pid;
  await expect
    .poll(() => said.filter((text) => text === silence).length, { timeout: 10_000 })
    .toBe(2);
  expect(watched.pid).not.toBe(first);
  await expect.poll(() => watched.failures).toBe(2);
  expect(said.filter((text) => text.includes("starting it again"))).toEqual([
    "web ended (SIGKILL), starting it again in 0.5 s",
    "web ended (SIGKILL), starting it again in 1 s",
  ]);
});

/** Node reports this error with an event, and no process ends. */
function startsNothing(): void {
  vi.mocked(spawn).mockImplementationOnce((_program, args, options) =>
    actual.spawn("/nowhere/node", args, options),
  );
}

test("one that cannot be started is tried again, however the system refuses it", async () => {
  startsNothing();
  vi.mocked(spawn).mockImplementationOnce(() => {
    throw new Error("spawn ENOMEM");
  });
  const watched = start(async () => true);
  await expect.poll(() => watched.pid, { timeout: 10_000 }).toBeDefined();
  expect(said).toEqual([
    "web cannot be started (spawn /nowhere/node ENOENT), starting it again in 0.5 s",
    "web cannot be started (spawn ENOMEM), starting it again in 1 s",
  ]);
});

test("one that cannot be started can be stopped", async () => {
  startsNothing();
  await start(async () => true).stop(100);
  startsNothing();
  const failed = start(async () => true);
  await expect.poll(() => failed.failures).toBe(1);
  await failed.stop(100);
  expect(failed.pid).toBeUndefined();
});

test("one that misses an answer now and then goes on, and so does one that is still starting", async () => {
  let asked = 0;
  const watched = start(async () => ++asked % 3 === 0);
  const first = watched.pid;
  await expect.poll(() => asked).toBeGreaterThan(20);
  expect([watched.pid, said]).toEqual([first, []]);
  await watched.stop(100);
  asked = 0;
  const starting = start(async () => ++asked < 0, 3_600_000);
  await expect.poll(() => asked).toBeGreaterThan(20);
  expect([starting.failures, said]).toEqual([0, []]);
});

test("one that never answers is started again also where the clock is set back while it starts", async () => {
  start(async () => false, 50);
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 3_600_000 });
  await expect.poll(() => said, { timeout: 10_000 }).toContain(silence);
});

test("a process is asked for by the id that it was started with, a new one each time", async () => {
  const asked = new Set<string>();
  const started = () =>
    existsSync(path.join(folder, "ids"))
      ? readFileSync(path.join(folder, "ids"), "utf8").trim().split("\n")
      : [];
  start(async (id) => {
    asked.add(id);
    return !started().includes(id);
  });
  await expect.poll(() => started().length, { timeout: 10_000 }).toBeGreaterThanOrEqual(2);
  await expect.poll(() => asked.size, { timeout: 10_000 }).toBeGreaterThanOrEqual(2);
  expect([...asked].slice(0, 2)).toEqual(started().slice(0, 2));
});

/** A program that keeps the settings which it was started with and those that it gets later. */
function keepsSettings() {
  const [script, preload] = ["keeps.mjs", "nothing.mjs"].map((name) => path.join(folder, name));
  const kept = path.join(folder, "settings");
  writeFileSync(
    script ?? "",
    `import { writeFileSync } from "node:fs";
    const keep = (later) => writeFileSync(${JSON.stringify(kept)}, JSON.stringify([process.env.DATABASE_URL, later]));
    if (!process.env.KUTIP_STARTED_AHEAD) keep(null);
    else process.once("message", keep);
    setInterval(() => {}, 1000);`,
  );
  writeFileSync(preload ?? "", "");
  const command = {
    name: "web",
    args: [script ?? ""],
    mode: "production" as const,
    preload: preload ?? "",
  };
  child = new Child(command, (text) => said.push(text));
  const settings = () => (existsSync(kept) ? readFileSync(kept, "utf8") : "");
  return { child, command, settings };
}

test("a process that was started ahead goes on with the settings that were found out meanwhile", async () => {
  vi.stubEnv("DATABASE_URL", "postgres://before/");
  const { child: web, command, settings } = keepsSettings();
  const ahead = startAhead(command);
  vi.stubEnv("DATABASE_URL", "postgres://after/");
  web.start(ahead);
  expect(web.pid).toBe(ahead.child.pid);
  await expect.poll(settings).not.toBe("");
  const [before, later] = JSON.parse(settings()) as [string, Record<string, string>];
  expect([before, later.DATABASE_URL]).toEqual(["postgres://before/", "postgres://after/"]);
  expect(said).toEqual([]);
});

test("one that ended while it waited is started anew, with all settings", async () => {
  const { child: web, command, settings } = keepsSettings();
  const ahead = startAhead(command);
  const gone = new Promise((resolve) => ahead.child.once("close", resolve));
  ahead.child.kill("SIGKILL");
  await gone;
  vi.stubEnv("DATABASE_URL", "postgres://after/");
  web.start(ahead);
  await expect.poll(settings).toBe(JSON.stringify(["postgres://after/", null]));
  expect(said).toEqual([]);
});

describe("an install", () => {
  const before = { HOST: env.HOST, PORT: String(env.PORT) };
  const asked: string[] = [];
  /** A web process that serves while work is late. */
  const web = createServer(({ url = "" }, response) => {
    asked.push(url);
    response.writeHead(url === "/api/health" ? 503 : 200).end();
  });
  beforeEach(async () => {
    asked.length = 0;
    await new Promise<void>((resolve) => void web.listen(0, "127.0.0.1", resolve));
    const { port } = web.address() as AddressInfo;
    provideEnv({ HOST: "127.0.0.1", PORT: String(port) });
  });
  afterEach(async () => {
    provideEnv(before);
    await new Promise((resolve) => web.close(resolve));
  });
  const never = new AbortController().signal;

  test("has started where it serves and its worker answers, also while work is late", async () => {
    let isSeen = false;
    const worker = start(async () => isSeen, 3_600_000);
    const starting = haveStarted([worker], never);
    await expect.poll(() => asked.length).toBeGreaterThan(2);
    isSeen = true;
    expect(await starting).toBe(true);
    expect(said).toEqual([]);
  });

  test("has not where a process ends again and again, or a signal stops it before", async () => {
    const stopped = new AbortController();
    const starting = haveStarted([start(async () => false, 3_600_000)], stopped.signal);
    stopped.abort();
    expect(await starting).toBe(false);
    await child?.stop(100);
    expect(await haveStarted([start(async () => false)], never)).toBe(false);
  }, 20_000);

  test("starts a process again however often it ends, once all have started", async () => {
    let answers = true;
    const worker = start(async () => answers);
    expect(await haveStarted([worker], never)).toBe(true);
    answers = false;
    await expect.poll(() => worker.failures, { timeout: 20_000 }).toBe(3);
    answers = true;
    await expect.poll(() => worker.answers(), { timeout: 20_000 }).toBe(true);
  }, 30_000);
});

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Child, type Watch } from "@/lib/supervisor/children";

let folder = "";
let child: Child | undefined;
let said: string[] = [];
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), "kutip-child-"));
  said = [];
});
afterEach(async () => {
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

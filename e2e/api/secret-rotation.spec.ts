import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { clean } from "../../scripts/test-server.mjs";
import { expect, test } from "../fixtures";
import { type Service, startService } from "../service";

// One install for all, which the last test changes for good.
test.describe.configure({ mode: "default" });

const projectRoot = path.resolve(import.meta.dirname, "../..");

let service: Service;
test.beforeAll(async () => {
  test.setTimeout(90_000);
  // Its secret is in the data folder.
  service = await startService({ KUTIP_SECRET: "" });
});
test.afterAll(() => service?.stop());

/** Runs `kutip secret:rotate` beside the service, with these settings. */
const rotate = (settings: Record<string, string> = {}) =>
  new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    const { NO_COLOR: _no, FORCE_COLOR: _force, ...outside } = clean() as NodeJS.ProcessEnv;
    const child = execFile(
      process.execPath,
      ["build/kutip.js", "secret:rotate"],
      { cwd: projectRoot, env: { ...outside, KUTIP_DATA_DIR: service.folder, ...settings } },
      (_, stdout, stderr) => resolve({ code: child.exitCode ?? 1, stdout, stderr }),
    );
  });

const terms = { email: "ana@example.com", title: "Gold", description: "The monthly fee" };
type Made = { _id: string; token: string };
const make = async (): Promise<Made> => {
  const made = await service.demo.api.call("POST", "/tokenizations/create-token", terms);
  expect(made.status).toBe(200);
  return made.body.data as Made;
};
const tokenOf = async ({ _id }: Made) =>
  ((await service.demo.api.call("GET", `/tokenizations/${_id}`)).body.data as Made).token;

test("a secret that the running processes do not know is refused, with their names", async () => {
  const present = readFileSync(path.join(service.folder, "secret"), "utf8").trim();
  const refused = await rotate({ KUTIP_SECRET: "n".repeat(40), KUTIP_SECRET_PREVIOUS: present });
  expect(refused.code).toBe(1);
  for (const name of ["web", "worker"] as const)
    expect(refused.stderr).toContain(`${name} process ${service.process(name)} on `);
  const made = await make();
  expect(await tokenOf(made)).toBe(made.token);
});

test("one command replaces the secret of the data folder while calls are served", async () => {
  test.setTimeout(120_000);
  const old = readFileSync(path.join(service.folder, "secret"), "utf8").trim();
  const processes = () => [service.process("web"), service.process("worker")];
  const before = processes();
  const made = [await make()];
  let over = false;
  const rotating = rotate().finally(() => {
    over = true;
  });
  while (!over) {
    const one = await make();
    expect(await tokenOf(one)).toBe(one.token);
    made.push(one);
  }
  const { code, stdout, stderr } = await rotating;
  expect([code, stdout]).toEqual([0, expect.stringContaining("Everything is sealed")]);
  expect(processes()).toEqual(before);
  for (const one of made) expect(await tokenOf(one)).toBe(one.token);

  const files = readdirSync(service.folder).filter((name) => name.startsWith("secret"));
  const [present = "", aside = ""] = files.sort();
  expect(files).toEqual(["secret", expect.stringMatching(/^secret\.until-/)]);
  expect(readFileSync(path.join(service.folder, present), "utf8").trim()).not.toBe(old);
  expect(readFileSync(path.join(service.folder, aside), "utf8").trim()).toBe(old);
  expect(stderr).toContain(aside);

  // A process that is started again gets the new secret, and needs no other.
  process.kill(service.process("web"), "SIGKILL");
  await expect
    .poll(() => tokenOf(made[0] as Made).catch(() => undefined), { timeout: 30_000 })
    .toBe(made[0]?.token);
});

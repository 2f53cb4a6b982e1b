import { spawn, spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), "kutip-launcher-"));
  for (const name of ["deploy", "build", "secrets"]) mkdirSync(path.join(folder, name));
  copyFileSync("deploy/kutip", path.join(folder, "deploy/kutip"));
  for (const name of ["server", "worker", "kutip"])
    writeFileSync(
      path.join(folder, `build/${name}.js`),
      `console.log(JSON.stringify({ name: "${name}", args: process.argv.slice(2), env: process.env }))`,
    );
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** What the launcher starts: the program, its words and its environment. */
function launch(words: string[], env: Record<string, string> = {}, program = "deploy/kutip") {
  const { stdout, stderr } = spawnSync(path.join(folder, program), words, {
    encoding: "utf8",
    cwd: os.tmpdir(),
    env: {
      PATH: process.env.PATH ?? "",
      NODE_ENV: "test",
      CREDENTIALS_DIRECTORY: path.join(folder, "secrets"),
      ...env,
    },
  });
  expect(stderr).toBe("");
  return JSON.parse(stdout) as { name: string; args: string[]; env: Record<string, string> };
}

describe.runIf(process.platform === "linux")("the launcher", () => {
  test.each([
    [[], "server", []],
    [["web"], "server", []],
    [["worker"], "worker", []],
    [["web", "--help"], "server", ["--help"]],
    [["worker", "--help"], "worker", ["--help"]],
    [["migrate", "--backup-taken"], "kutip", ["migrate", "--backup-taken"]],
    [["business:create", "Ana's shop"], "kutip", ["business:create", "Ana's shop"]],
  ])("starts for %j the program %s", (words, name, args) => {
    expect(launch(words)).toMatchObject({
      name,
      args,
      env: { NODE_ENV: "production", KUTIP_CWD: os.tmpdir() },
    });
  });

  test("finds its install from a link elsewhere", () => {
    symlinkSync(path.join(folder, "deploy/kutip"), path.join(folder, "kutip"));
    expect(launch(["web"], {}, "kutip").name).toBe("server");
  });

  test("limits the heap of processes that serve, unless the operator does", () => {
    expect(launch(["worker"]).env.NODE_OPTIONS).toContain(
      "--max-old-space-size=1024 --max-semi-space-size=16",
    );
    expect(launch(["migrate"]).env.NODE_OPTIONS).toBeUndefined();
    const own = launch(["web"], { NODE_OPTIONS: "--max-old-space-size=300" }).env.NODE_OPTIONS;
    expect(own).toBe("--max-old-space-size=300");
  });

  test("reads secrets from files that are named like settings, and from no others", () => {
    const write = (name: string, text: string) =>
      writeFileSync(path.join(folder, "secrets", name), text);
    write("KUTIP_SECRET", "a b$c`d\n");
    write("DATABASE_URL", "postgres://file");
    write("ca.crt", "no setting");
    mkdirSync(path.join(folder, "secrets/FOLDER"));
    const { env } = launch(["web"], { DATABASE_URL: "postgres://environment" });
    expect(env).toMatchObject({ KUTIP_SECRET: "a b$c`d", DATABASE_URL: "postgres://environment" });
    expect(Object.keys(env)).not.toContain("FOLDER");
  });
});

describe("the health check of a container", () => {
  /** Its exit code while a server answers the liveness address with `status`, and every other with 503. */
  async function exitCode(status: number, settings: (port: number) => Record<string, string>) {
    const server = createServer(({ url }, response) =>
      response.writeHead(url === "/api/health/live" ? status : 503).end(),
    );
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const child = spawn(process.execPath, ["deploy/healthy.mjs"], {
      env: { NODE_ENV: "production", ...settings(port) },
      stdio: "ignore",
    });
    const code = await new Promise((resolve) => child.once("exit", resolve));
    server.close();
    return code;
  }

  test.each<[string, number, number, (port: number) => Record<string, string>]>([
    ["a web process that responds", 0, 200, (port) => ({ PORT: String(port) })],
    [
      "a worker that responds",
      0,
      200,
      (port) => ({ PORT: "1", METRICS_ADDRESS: `0.0.0.0:${port}` }),
    ],
    ["a process that is not well", 1, 503, (port) => ({ PORT: String(port) })],
    ["no process", 1, 200, () => ({ PORT: "1" })],
  ])("of %s ends with %i", async (_, code, status, settings) => {
    expect(await exitCode(status, settings)).toBe(code);
  });
});

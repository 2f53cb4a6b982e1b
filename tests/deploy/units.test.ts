import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readText } from "./files";

const units = readdirSync("deploy/systemd").filter((name) => name.endsWith(".service"));
const SANDBOX = "systemd/kutip-.service.d/sandbox.conf";

const valuesOf = (text: string, key: string) =>
  [...text.matchAll(new RegExp(`^${key}=(.*)$`, "gm"))].map(([, value]) => value);

test("there is one for each process and one for the migrations", () => {
  expect(units.sort()).toEqual([
    "kutip-migrate.service",
    "kutip-web.service",
    "kutip-worker.service",
  ]);
});

test.each(units)("%s runs its own word as the user kutip, with settings of a file", (unit) => {
  const text = readText(`systemd/${unit}`);
  const word = unit.replace(/^kutip-|\.service$/g, "");
  expect(valuesOf(text, "ExecStart")).toEqual([`/opt/kutip/deploy/kutip ${word}`]);
  expect(valuesOf(text, "User")).toEqual(["kutip"]);
  expect(valuesOf(text, "EnvironmentFile")).toEqual(["/etc/kutip/kutip.env"]);
  expect(valuesOf(text, "Environment")).toEqual([]);
});

test.each(["web", "worker"])("kutip-%s starts again for ever and has time to stop", (name) => {
  const text = readText(`systemd/kutip-${name}.service`);
  expect([valuesOf(text, "Restart"), valuesOf(text, "StartLimitIntervalSec")]).toEqual([
    ["always"],
    ["0"],
  ]);
  // The drain and the 25 s for requests under way.
  expect(Number(valuesOf(text, "TimeoutStopSec")[0])).toBeGreaterThanOrEqual(5 + 25);
});

test("the sandbox takes away rights, and all of the file system to write to", () => {
  const text = readText(SANDBOX);
  for (const [key, value] of Object.entries({
    NoNewPrivileges: "yes",
    ProtectSystem: "strict",
    ProtectHome: "yes",
    PrivateTmp: "yes",
    PrivateDevices: "yes",
    CapabilityBoundingSet: "",
    SystemCallFilter: "@system-service",
    RestrictNamespaces: "yes",
  }))
    expect(valuesOf(text, key), key).toEqual([value]);
  expect(text).not.toMatch(/ReadWritePaths|StateDirectory/);
});

const has = spawnSync("systemd-analyze", ["--version"]).status === 0;

describe.runIf(has)("systemd", () => {
  let folder = "";
  beforeAll(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), "kutip-units-"));
    cpSync("deploy/systemd", folder, { recursive: true });
    // The program is not at its place here, and `verify` looks for it.
    for (const unit of units)
      execFileSync("sed", ["-i", "s#/opt/kutip/deploy/kutip#/bin/true#", path.join(folder, unit)]);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const analyze = (...args: string[]) =>
    spawnSync("systemd-analyze", args, {
      encoding: "utf8",
      env: { ...process.env, SYSTEMD_UNIT_PATH: `${folder}:` },
    });

  test.each(units)("finds nothing wrong with %s", (unit) => {
    const { status, stderr } = analyze("verify", "--man=no", path.join(folder, unit));
    expect(stderr.split("\n").filter((line) => line.includes("kutip"))).toEqual([]);
    expect(status).toBe(0);
  });

  test.each(units)("finds %s exposed to little", (unit) => {
    const { status, stdout } = analyze("security", "--offline=true", "--threshold=20", unit);
    expect(stdout).toMatch(/Overall exposure level/);
    expect(status).toBe(0);
  });
});

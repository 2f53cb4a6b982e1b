import { spawnSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

const PROGRAMS = ["git", "npm", "systemd-run", "systemctl", "docker"];
const FOR_THE_FIRST_TIME = ["useradd", "install", "vi", "cp"];

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), "kutip-upgrade-"));
  mkdirSync(path.join(folder, "bin"));
  mkdirSync(path.join(folder, "opt"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The commands of the installing page behind a sentence that begins so. */
function commandsAfter(sentence: string): string {
  const [, after = ""] = readFileSync("docs/operations/install.md", "utf8").split(`\n${sentence}`);
  return /^```sh\n(.*?)^```$/ms.exec(after)?.[1] ?? "";
}

/**
 * Runs commands with `opt` in the place of /opt, and programs that do nothing. The one of which the call holds `fails` fails. Returns each call with
 * the version that the link leads to at that moment.
 */
function run(commands: string, fails = "no call", programs = PROGRAMS): string[] {
  const opt = path.join(folder, "opt");
  const calls = path.join(folder, "calls");
  writeFileSync(calls, "");
  for (const name of programs) {
    const program = path.join(folder, "bin", name);
    writeFileSync(
      program,
      `#!/bin/sh
echo "$(readlink ${opt}/kutip): ${name} $*" >> ${calls}
case "${name} $*" in *"${fails}"*) exit 1 ;; "git clone"*) for to; do :; done; mkdir "$to" ;; npm*) pwd >> ${calls} ;; esac
`,
    );
    chmodSync(program, 0o700);
  }
  const script = commands.replaceAll("/opt/", `${opt}/`).replaceAll("<this repository>", "it");
  spawnSync("sh", ["-c", script], {
    cwd: folder,
    env: { NODE_ENV: "test", PATH: `${folder}/bin:${process.env.PATH}` },
  });
  return readFileSync(calls, "utf8").replaceAll(opt, "/opt").trim().split("\n");
}

const linked = () => readlinkSync(path.join(folder, "opt/kutip"));

describe.runIf(process.platform === "linux")("under systemd", () => {
  const upgrade = commandsAfter("To upgrade, build the new version beside");
  const installed = () => {
    mkdirSync(path.join(folder, "opt/kutip-1.0.0"));
    symlinkSync("/opt/kutip-1.0.0", path.join(folder, "opt/kutip"));
  };

  test("an install is a folder of its version and a link, and ends with the first business", () => {
    const calls = run(commandsAfter("Install the units"), undefined, [
      ...PROGRAMS,
      ...FOR_THE_FIRST_TIME,
    ]);
    expect(linked()).toBe(path.join(folder, "opt/kutip-1.0.0"));
    // The first business needs the migrations, which the units run.
    expect(calls.slice(-2)).toEqual([
      "/opt/kutip-1.0.0: systemctl enable --now kutip-migrate kutip-web kutip-worker",
      expect.stringMatching(/systemd-run .* business:create My shop --email you@example\.com$/),
    ]);
  });

  test("an upgrade builds apart and migrates while everything serves, then moves the link and restarts", () => {
    installed();
    expect(run(upgrade)).toEqual([
      "/opt/kutip-1.0.0: git clone it /opt/kutip-1.1.0",
      "/opt/kutip-1.0.0: npm run build",
      "/opt/kutip-1.1.0",
      expect.stringMatching(
        /^\/opt\/kutip-1\.0\.0: systemd-run --pipe --wait .* \/opt\/kutip-1\.1\.0\/deploy\/kutip migrate$/,
      ),
      "/opt/kutip-1.1.0: systemctl restart kutip-worker kutip-web",
    ]);
  });

  test.each(["git clone", "npm run build", "migrate"])(
    "after a failure of %s the version before stays",
    (fails) => {
      installed();
      expect(run(upgrade, fails).filter((call) => call.includes("systemctl"))).toEqual([]);
      expect(linked()).toBe("/opt/kutip-1.0.0");
    },
  );

  test("a folder in the place of the link stops the upgrade before the restart", () => {
    mkdirSync(path.join(folder, "opt/kutip"));
    expect(run(upgrade).filter((call) => call.includes("systemctl"))).toEqual([]);
  });
});

describe("with Compose", () => {
  const upgrade = commandsAfter("To upgrade, get the new version, such as by");
  const docker = (fails?: string) => run(upgrade, fails).map((call) => call.split(": ")[1]);
  const steps = ["docker compose build", "docker compose run --rm migrate"];

  test("an upgrade builds and migrates before it replaces a container", () => {
    expect(docker()).toEqual([...steps, "docker compose up --detach"]);
  });

  test.each([...steps.entries()])(
    "after a failure of step %i (%s) no container is replaced",
    (at, fails) => {
      expect(docker(fails)).toEqual(steps.slice(0, at + 1));
    },
  );
});

test("each page with a command of systemd-run says what credentials of systemd need there", () => {
  const pages = readdirSync("docs", { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .filter((name) => readFileSync(path.join("docs", name), "utf8").includes("systemd-run --pipe"));
  const says = (name: string) =>
    /LoadCredential|credentials[^.]*install\.md#systemd/.test(
      readFileSync(path.join("docs", name), "utf8"),
    );
  expect([pages.length > 0, pages.filter((name) => !says(name))]).toEqual([true, []]);
});

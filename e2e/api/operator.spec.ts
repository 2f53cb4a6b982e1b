import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import path from "node:path";
import { clean } from "../../scripts/test-server.mjs";
import { expect, test } from "../fixtures";
import type { Install } from "../install";

const projectRoot = path.resolve(import.meta.dirname, "../..");

/** The operator's command beside the running install, as `npm run -s kutip --` calls it; without an address when that is empty. */
function kutip(install: Install, ...args: string[]) {
  // Neither the settings of another test's install nor what Playwright says of colours belong to this process.
  const { NO_COLOR: _no, FORCE_COLOR: _force, ...outside } = clean() as NodeJS.ProcessEnv;
  const env = {
    ...outside,
    ...(install.url ? { BASE_URL: install.url, PORT: new URL(install.url).port } : {}),
    KUTIP_DATA_DIR: install.folder,
    KUTIP_SECRET: install.secret,
    ...(process.env.E2E_DATABASE_URL ? { DATABASE_URL: install.database } : {}),
  };
  return spawnSync(process.execPath, ["build/kutip.js", ...args], {
    cwd: projectRoot,
    env,
    encoding: "utf8",
  });
}

test("a key made beside the running server works at once, and not after it was revoked", async ({
  install,
}) => {
  const made = kutip(
    install,
    "business:create",
    "Corner Shop",
    "--email",
    `owner-${process.pid}-${Date.now()}@example.com`,
  );
  expect(made.stderr).toMatch(/ is a new account with the password printed below\n$/);
  const { business_id } = JSON.parse(made.stdout) as { business_id: number };
  const key = kutip(
    install,
    "key:create",
    "--business",
    String(business_id),
    "--mode",
    "test",
    "--name",
    "Till",
    "--json",
  );
  const { id, api_key } = JSON.parse(key.stdout) as { id: string; api_key: string };
  const ask = () =>
    fetch(`${install.url}/api/payment-links`, { headers: { authorization: `Bearer ${api_key}` } });
  expect((await ask()).status).toBe(200);
  expect(kutip(install, "key:list", "--business", String(business_id)).stdout).toContain(id);
  expect(kutip(install, "key:revoke", "--business", String(business_id), id).status).toBe(0);
  await expect.poll(async () => (await ask()).status, { timeout: 5_000 }).toBe(401);
});

test("the doctor finds nothing wrong with a running install", ({ install }) => {
  const { status, stdout } = kutip(install, "doctor");
  expect(stdout).not.toMatch(/^bad/m);
  expect(stdout).toMatch(/server: healthy/);
  expect(status).toBe(0);
});

test("addresses are those of the running install, whatever port it was started on", ({
  install,
}) => {
  const { stdout } = kutip({ ...install, url: "" }, "doctor");
  expect(stdout).toContain(`server: healthy at ${install.url}`);
});

test("a backup is made beside the running server, readable by its owner alone", ({
  install,
}, info) => {
  const file = info.outputPath("backup.tar.gz");
  const { status, stderr } = kutip(install, "backup", file);
  expect(stderr).toMatch(/secret/i);
  expect(status).toBe(0);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test("a second start on the same data says in one line what to do", ({ install }) => {
  const { status, stderr } = kutip({ ...install, url: "http://localhost:65123" }, "start");
  expect(status).toBe(1);
  expect(stderr.trim().split("\n")).toHaveLength(1);
  expect(stderr).toMatch(/^kutip: /);
});

test("settings that cannot be used are named, and a wrong call shows how to call", ({
  install,
}) => {
  const bad = kutip({ ...install, secret: "short" }, "doctor");
  expect(bad.stderr.trim()).toBe("kutip: KUTIP_SECRET must be at least 32 characters");
  expect(kutip(install, "key:create").stderr).toMatch(/usage: npm run -s kutip -- key:create/);
  expect(kutip(install, "nothing").status).toBe(2);
});

test("the help lists every setting and every command", ({ install }) => {
  expect(kutip(install, "start", "--help").stdout).toMatch(/KUTIP_DATA_DIR.*WORKER_POLL_MS/s);
  expect(kutip(install, "--help").stdout).toMatch(/restore.*business:create/s);
});

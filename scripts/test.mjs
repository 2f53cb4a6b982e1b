// Every check of the project, in order; `--verify` leaves out those that need a database. Ends with one line: N passed, N failed.
import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { stripVTControlCharacters } from "node:util";
import { root } from "./stamp.mjs";
import { clean, startTestServer } from "./test-server.mjs";

const bin = (name) => path.join(root, "node_modules/.bin", name);
const reports = path.join(os.tmpdir(), `kutip-reports-${process.pid}`);
const total = { passed: 0, failed: 0 };
// Tests run in a random order, which the same seed repeats: see vitest.config.ts.
process.env.TEST_SEED ||= String(randomInt(2 ** 31));
let running;
const production = { NODE_ENV: "production" };

const quick = [
  ["typecheck", () => command(["npm", "run", "--silent", "typecheck"])],
  ["lint", () => command(["npm", "run", "--silent", "lint"])],
  ["unit", unitTests],
];
const slow = [
  ["database", () => vitest("database")],
  ["browser", browserTests],
  ["soak", soak],
];

mkdirSync(reports, { recursive: true });
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(130));
process.on("exit", () => {
  running?.kill("SIGTERM");
  rmSync(reports, { recursive: true, force: true });
});

console.log(`TEST_SEED=${process.env.TEST_SEED}`);
for (const [name, phase] of process.argv.includes("--verify") ? quick : [...quick, ...slow])
  await report(name, phase);
console.log(`\n${total.passed} passed, ${total.failed} failed`);
process.exit(total.failed > 0 ? 1 : 0);

async function report(name, phase) {
  const began = performance.now();
  let result;
  try {
    result = await phase();
  } catch (error) {
    result = { passed: 0, failed: 1, output: error.message };
  }
  // A phase in which nothing ran has proven nothing.
  if (result.passed + result.failed === 0)
    result = { passed: 0, failed: 1, output: `${result.output ?? ""}\nno test ran` };
  total.passed += result.passed;
  total.failed += result.failed;
  if (result.failed > 0) console.log(result.output);
  const counts = `${String(result.passed).padStart(5)} passed ${String(result.failed).padStart(4)} failed`;
  console.log(
    `${name.padEnd(10)} ${counts}  ${((performance.now() - began) / 1000).toFixed(1).padStart(6)} s`,
  );
}

async function command(line, settings) {
  const { code, output } = await run(line, settings);
  return code === 0 ? { passed: 1, failed: 0, output } : { passed: 0, failed: 1, output };
}

/** The short form of the drill soak, which needs no installed program. */
async function soak() {
  const built = await command([process.execPath, "scripts/build.mjs", "--if-stale"], production);
  if (built.failed > 0) return built;
  const proven = await command([process.execPath, "scripts/prove.mjs", "soak", "--short"], {
    LOG_LEVEL: "silent",
  });
  for (const line of proven.output.split("\n"))
    if (/^ +(--seed|short:|load: requests)/.test(line)) console.log(line);
  return proven;
}

async function unitTests() {
  const { runtimes } = await import("./runtimes.mjs");
  runtimes((text) => console.log(text));
  return vitest("unit");
}

async function vitest(project) {
  const file = path.join(reports, `${project}.json`);
  const { code, output } = await run([
    bin("vitest"),
    "run",
    "--project",
    project,
    "--reporter=dot",
    "--reporter=json",
    `--outputFile.json=${file}`,
  ]);
  if (!existsSync(file)) return { passed: 0, failed: 1, output };
  const { numPassedTests, numFailedTests, numFailedTestSuites } = JSON.parse(
    readFileSync(file, "utf8"),
  );
  // A file that cannot even be loaded has no failed test, and an error outside any test none either.
  const failed = numFailedTests || (numFailedTestSuites ?? 0) || (code === 0 ? 0 : 1);
  return { passed: numPassedTests, failed, output };
}

async function browserTests() {
  const { browser } = await import("./browser.mjs");
  const chromium = browser((text) => console.log(text));
  const built = await command([process.execPath, "scripts/build.mjs", "--if-stale"], production);
  if (built.failed > 0) return built;
  const server = await startTestServer({
    RATE_LIMIT_KEY: "0",
    RATE_LIMIT_BUSINESS: "0",
    RATE_LIMIT_COST: "0",
    RATE_LIMIT_ANONYMOUS: "0",
    RATE_LIMIT_SIGN_IN: "0",
    RATE_LIMIT_PAYER: "0",
    RATE_LIMIT_PAGE: "0",
    RATE_LIMIT_TIME: "0",
    LOG_LEVEL: "warn",
    WORKER_POLL_MS: "200",
    WEBHOOK_ALLOW_PRIVATE: "true",
    OPERATOR_CONTACT: "mailto:operator@kutip.example",
  });
  try {
    const file = path.join(reports, "browser.json");
    // A machine that halts for half a minute fails tests that are right: what failed runs once more, and the report names it.
    const words = ["test", "--reporter=dot,json", "--retries=1"];
    const { code, output } = await run([bin("playwright"), ...words], {
      E2E_URL: server.url,
      E2E_DATA_DIR: server.folder,
      E2E_DATABASE_URL: server.database ?? "",
      E2E_CHROMIUM: chromium,
      PLAYWRIGHT_JSON_OUTPUT_FILE: file,
    });
    const log = () => `the server's log ends:\n${readFileSync(server.log, "utf8").slice(-4000)}`;
    if (!existsSync(file)) return { passed: 0, failed: 1, output: `${output}\n${log()}` };
    const { stats, errors } = JSON.parse(readFileSync(file, "utf8"));
    const failed = stats.unexpected + (errors?.length ?? 0);
    if (stats.flaky > 0 && failed === 0)
      console.log(`${output}\n${stats.flaky} passed at the second try only`);
    return {
      passed: stats.expected + stats.flaky,
      failed: failed || (code === 0 ? 0 : 1),
      output: `${output}\n${log()}`,
    };
  } finally {
    await server.stop();
  }
}

function run([program, ...args], settings = {}) {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd: root,
      env: { ...clean(), ...settings },
      stdio: ["ignore", "pipe", "pipe"],
    });
    running = child;
    const parts = [];
    child.stdout.on("data", (part) => parts.push(part));
    child.stderr.on("data", (part) => parts.push(part));
    child.on("error", (error) => resolve({ code: 1, output: error.message }));
    child.on("close", (code) => {
      running = undefined;
      resolve({
        code: code ?? 1,
        output: stripVTControlCharacters(Buffer.concat(parts).toString("utf8")),
      });
    });
  });
}

// Breaks a copy of the tree in one way after the other and runs the proof that must notice. A proof that stays green, hangs, or
// fails for another reason than the fault has proven nothing; neither has one that fails on the tree as it is.
import { spawn, spawnSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { root } from "../stamp.mjs";
import { cases } from "./cases.mjs";

const LIMIT_SECONDS = 600;
// Small enough for minutes, large enough for each fault to show.
const sizes = { PROVE_SECONDS: "30", PROVE_RENEWALS: "300", PROVE_EVENTS: "1500" };

const wanted = process.argv.slice(2);
const chosen = cases.filter(({ proof }) => wanted.length === 0 || wanted.includes(proof));
const unknown = wanted.filter((name) => !cases.some(({ proof }) => proof === name));
if (unknown.length > 0) {
  console.error(`there are no cases of ${unknown.join(" and ")}`);
  process.exit(2);
}
let failed = 0;
for (const proof of new Set(chosen.map(({ proof }) => proof)))
  await report(`${proof}: the tree as it is`, () => control(proof));
for (const one of chosen) await report(`${one.proof}: ${one.name}`, () => sabotage(one));
process.exit(failed > 0 ? 1 : 0);

async function report(what, check) {
  const began = performance.now();
  const fault = await check();
  if (fault) failed++;
  const seconds = ((performance.now() - began) / 1000).toFixed(0);
  console.log(`  ${fault ? "FAILED" : "      "}  ${what.padEnd(70)} ${seconds} s`);
  if (fault) console.log(fault.replace(/^/gm, "          "));
}

async function control(proof) {
  const { code, output } = await inCopy([], proof, {});
  return code === 0 ? null : `fails although nothing is broken:\n${tail(output)}`;
}

async function sabotage({ proof, edits, notices, settings = {} }) {
  const { code, output, missing } = await inCopy(edits, proof, settings);
  if (missing) return `the text to break is gone from ${missing}`;
  if (code === null) return `still runs after ${LIMIT_SECONDS} s:\n${tail(output)}`;
  if (code === 0) return "stays green";
  const noticed = output.split("\n").some((line) => line.includes("FAILED") && notices.test(line));
  return noticed ? null : `fails without naming the fault (${notices}):\n${tail(output)}`;
}

function tail(output) {
  return output.split("\n").slice(-25).join("\n");
}

async function inCopy(edits, proof, settings) {
  const copy = mkdtempSync(path.join(os.tmpdir(), "kutip-sabotage-"));
  try {
    copyTree(copy);
    for (const [file, from, to] of edits) {
      const text = readFileSync(path.join(copy, file), "utf8");
      if (text.split(from).length !== 2) return { code: 1, output: "", missing: file };
      writeFileSync(
        path.join(copy, file),
        text.replace(from, () => to),
      );
    }
    const built = spawnSync(process.execPath, ["scripts/build.mjs", "--bundles"], {
      cwd: copy,
      encoding: "utf8",
    });
    if (built.status !== 0) return { code: 1, output: built.stdout + built.stderr };
    return await run(copy, proof, settings);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

function copyTree(copy) {
  const listed = spawnSync("git", ["ls-files", "-co", "--exclude-standard"], {
    cwd: root,
    encoding: "utf8",
  });
  for (const file of listed.stdout.split("\n").filter(Boolean)) {
    mkdirSync(path.dirname(path.join(copy, file)), { recursive: true });
    cpSync(path.join(root, file), path.join(copy, file));
  }
  symlinkSync(path.join(root, "node_modules"), path.join(copy, "node_modules"));
  symlinkSync(path.join(root, ".next"), path.join(copy, ".next"));
}

function run(copy, proof, settings) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ["scripts/prove.mjs", proof], {
      cwd: copy,
      env: { ...process.env, ...sizes, ...settings },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    const parts = [];
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (part) => parts.push(part));
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      process.kill(-child.pid, "SIGTERM");
    }, LIMIT_SECONDS * 1000);
    child.on("close", (code) => {
      clearTimeout(timer);
      resolve({ code: late ? null : (code ?? 1), output: Buffer.concat(parts).toString("utf8") });
    });
  });
}

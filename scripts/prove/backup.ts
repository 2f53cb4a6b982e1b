import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { closePool } from "@/db/client";
import { ownBackups } from "./parts/backup/own";
import { NEEDS } from "./parts/backup/pgbackrest";
import { recovery } from "./parts/backup/recovery";
import { requireMachine } from "./parts/machine";
import { prove } from "./parts/proof";

// An install goes back to a backup of its own, and Postgres goes back to a moment with pgBackRest. Both under load: nothing that was acknowledged before is
// lost, what the gateway took since is booked once, and nothing is charged again. Without what protects it, it is.
const LIMIT_SECONDS = 20 * 60;
const PARTS = { own: ownBackups, recovery };

const only = process.argv.find((word) => word.startsWith("--only="))?.slice(7);
requireMachine(only === "own" ? [] : NEEDS, { root: false });
const folder = mkdtempSync(path.join(os.tmpdir(), "kutip-backup-"));
chmodSync(folder, 0o755);
const cleaners: (() => unknown)[] = [];

await prove(work, cleanUp, LIMIT_SECONDS);

async function work(): Promise<void> {
  for (const [name, part] of Object.entries(PARTS)) {
    if (only !== undefined && only !== name) continue;
    console.log(`  ${name}`);
    const began = performance.now();
    await part(folder, (clean) => cleaners.push(clean));
    await endPart();
    console.log(`          ${((performance.now() - began) / 1_000).toFixed(0)} s`);
  }
}

async function endPart(): Promise<void> {
  await closePool().catch(() => undefined);
  for (const clean of cleaners.splice(0).reverse()) await clean();
}

async function cleanUp(): Promise<void> {
  await endPart();
  if (process.argv.includes("--keep")) console.log(`  logs are in ${folder}`);
  else rmSync(folder, { recursive: true, force: true });
}

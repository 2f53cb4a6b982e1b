import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { ownBackups } from "./parts/backup/own";
import { NEEDS } from "./parts/backup/pgbackrest";
import { recovery } from "./parts/backup/recovery";
import { chosenParts, inParts } from "./parts/drill-parts";
import { requireMachine } from "./parts/machine";
import { prove } from "./parts/proof";

// An install goes back to a backup of its own, and Postgres goes back to a moment with pgBackRest. Both under load: nothing that was acknowledged before is
// lost, what the gateway took since is booked once, and nothing is charged again. Without what protects it, it is.
const LIMIT_SECONDS = 20 * 60;
const PARTS = { own: ownBackups, recovery };

requireMachine(chosenParts(PARTS).includes("recovery") ? NEEDS : [], { root: false });
const folder = mkdtempSync(path.join(os.tmpdir(), "kutip-backup-"));
chmodSync(folder, 0o755);
const drill = inParts(PARTS);

await prove(() => drill.run(folder), cleanUp, LIMIT_SECONDS);

async function cleanUp(): Promise<void> {
  await drill.end();
  if (process.argv.includes("--keep")) console.log(`  logs are in ${folder}`);
  else rmSync(folder, { recursive: true, force: true });
}

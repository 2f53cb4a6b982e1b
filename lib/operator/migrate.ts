import { parseArgs } from "node:util";
import { pendingMigrations } from "@/db/migrate";
import { upgradeIsPending } from "@/db/upgrade";
import { SupervisorLock } from "@/lib/supervisor/supervisor-lock";
import { completeInstall } from "@/lib/supervisor/install";
import type { Install } from "@/lib/supervisor/open-database";
import { physicalBackup } from "./physical-backup";
import { note, print } from "./usage";
import { withInstall } from "./with-install";

/** Brings the database to this version's schema. */
export async function migrate(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { "backup-taken": { type: "boolean" } } });
  await withInstall(async (install) => {
    const pending = await pendingMigrations();
    const release = await holdForUpgrade(install);
    await completeInstall(install, values["backup-taken"] ? "upgrade" : physicalBackup).finally(
      release,
    );
    print(
      pending === 0
        ? "The database is up to date."
        : `The database is up to date; ${pending} migration${pending === 1 ? "" : "s"} applied.`,
    );
  }, "open");
}

/** Keeps a start of any version out while an older embedded database is upgraded. Throws a Refusal when one runs. */
async function holdForUpgrade(install: Install): Promise<() => Promise<void>> {
  if (!install.embedded || !(await upgradeIsPending())) return async () => undefined;
  const lock = new SupervisorLock(install.places.folder, note);
  await lock.take();
  return () => lock.release();
}

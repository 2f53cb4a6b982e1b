import { parseArgs } from "node:util";
import { pendingMigrations } from "@/db/migrate";
import { completeInstall } from "@/lib/supervisor/install";
import { print } from "./usage";
import { withInstall } from "./with-install";

/** Brings the database to this version's schema. */
export async function migrate(args: string[]): Promise<void> {
  parseArgs({ args, options: {} });
  await withInstall(async (install) => {
    const pending = await pendingMigrations();
    await completeInstall(install);
    print(
      pending === 0
        ? "The database is up to date."
        : `The database is up to date; ${pending} migration${pending === 1 ? "" : "s"} applied.`,
    );
  }, false);
}

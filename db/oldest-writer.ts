import { compareVersions, version } from "@/lib/kernel/version";
import { Refusal } from "./embedded/refusal";
import { oldestWriterKey } from "./setting-keys";
import { readSetting } from "./settings";
import { sqlStateOf, UNDEFINED_TABLE } from "./sql-state";

/** Processes of this version and later ones may write to this database; undefined before 1.0.0-rc.1. */
export const readOldestWriter = (): Promise<string | undefined> =>
  readSetting(oldestWriterKey).catch((error: unknown) => {
    if (sqlStateOf(error) === UNDEFINED_TABLE) return undefined;
    throw error;
  });

/** Whether processes of this version may write. */
export async function mayWrite(): Promise<boolean> {
  const oldest = await readOldestWriter();
  return oldest === undefined || compareVersions(version, oldest) >= 0;
}

/** Throws a Refusal when the database was upgraded past this version. */
export async function assertMayWrite(): Promise<void> {
  const oldest = await readOldestWriter();
  if (oldest === undefined || compareVersions(version, oldest) >= 0) return;
  throw new Refusal(
    `this database was upgraded and takes writes from Kutip ${oldest} on; this is ${version}: start the newer version (docs/upgrading.md says how to go back)`,
  );
}

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

/** Whether a database with this oldest writer takes writes of this version. */
export const takesWritesOfThisVersion = (oldest: string | undefined): boolean =>
  oldest === undefined || compareVersions(version, oldest) >= 0;

/** Whether processes of this version may write. */
export const mayWrite = async (): Promise<boolean> =>
  takesWritesOfThisVersion(await readOldestWriter());

/** Throws a Refusal when the database was upgraded past this version. */
export async function assertMayWrite(): Promise<void> {
  const oldest = await readOldestWriter();
  if (takesWritesOfThisVersion(oldest)) return;
  throw new Refusal(
    `this database was upgraded and takes writes from Kutip ${oldest} on; this is ${version}: start the newer version (docs/upgrading.md says how to go back)`,
  );
}

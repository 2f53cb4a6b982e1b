import { createReadStream, existsSync } from "node:fs";
import path from "node:path";
import type pg from "pg";
import { Refusal } from "@/db/embedded/refusal";
import type { Part } from "@/db/transfer/parts";
import { isInUse } from "@/db/transfer/target";
import { readExportBytes } from "@/lib/backups/export-file";
import { installIn, momentIn } from "@/lib/backups/names";
import { backupStore } from "@/lib/backups/configured-store";
import type { Store, Stored } from "@/lib/backups/store";
import { callerFolder, env } from "@/lib/env";

/** The store of BACKUP_TO. Throws a Refusal where backups are not set up. */
export function requireStore(): { store: Store; passphrase: string } {
  const target = backupStore();
  if (!target) throw new Refusal("backups are not set up: set BACKUP_TO and BACKUP_KEY");
  return target;
}

/** Every backup of a store. Throws a Refusal naming the store where it cannot be read. */
export async function listBackups(store: Store): Promise<Stored[]> {
  try {
    return await store.list();
  } catch (error) {
    throw new Refusal(`${store.address} cannot be read: ${(error as Error).message}`);
  }
}

/** `isNamed`: its name or path was given, and it was not taken because it is the newest. `made` is the moment in its name. */
type Found = {
  name: string;
  isNamed: boolean;
  made: string | undefined;
  parts: AsyncGenerator<Part>;
};

/** A backup by its name in the store, by `latest`, or by the path of a copy. */
export async function findBackup(given = "latest"): Promise<Found> {
  const file = path.resolve(callerFolder(), given);
  if (given !== "latest" && existsSync(file)) {
    if (env.BACKUP_KEY === undefined)
      throw new Refusal("set BACKUP_KEY to the backup's passphrase");
    const parts = readExportBytes(given, createReadStream(file), env.BACKUP_KEY);
    return { name: given, isNamed: true, made: momentIn(path.basename(given)), parts };
  }
  const { store, passphrase } = requireStore();
  const backups = await listBackups(store);
  if (given === "latest") assertOneInstall(store, backups);
  const found = given === "latest" ? backups.at(-1) : backups.find(({ name }) => name === given);
  if (!found)
    throw new Refusal(
      given === "latest"
        ? `there is no backup in ${store.address}`
        : `there is no backup ${given} in ${store.address}: see kutip backup:list`,
    );
  const parts = readExportBytes(found.name, store.read(found.name), passphrase);
  return { name: found.name, isNamed: given !== "latest", made: momentIn(found.name), parts };
}

/** Throws a Refusal where several installs have backups in the store: the newest may be of any of them. */
function assertOneInstall(store: Store, backups: readonly Stored[]): void {
  const newest = new Map(backups.map(({ name }) => [installIn(name), name]));
  if ([...newest.keys()].filter((install) => install !== undefined).length < 2) return;
  const lines = [...newest].map(([install, name]) =>
    install === undefined ? `${name} of an older version` : `${name} of install ${install}`,
  );
  throw new Refusal(
    [
      `several installs have backups in ${store.address}: name one. The newest of each is`,
      ...lines,
    ].join("\n"),
  );
}

/**
 * Throws a Refusal where the newest backup, now in the database, has neither business nor account: a new install that shares the store may have
 * made it.
 */
export async function assertFilled(
  { name, isNamed }: Pick<Found, "name" | "isNamed">,
  database?: Pick<pg.Client, "query">,
): Promise<void> {
  if (isNamed || (await isInUse(database))) return;
  throw new Refusal(
    `${name} is the newest backup, and it is of an install without a business: see kutip backup:list, and name the backup to use`,
  );
}

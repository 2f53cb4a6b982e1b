import { createReadStream, existsSync } from "node:fs";
import path from "node:path";
import { Refusal } from "@/db/embedded/refusal";
import type { Part } from "@/db/transfer/parts";
import { readExportBytes } from "@/lib/backups/export-file";
import { momentIn } from "@/lib/backups/names";
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

/** A backup by its name in the store, by `latest`, or by the path of a copy. `made` is the moment in its name. */
export async function findBackup(
  given = "latest",
): Promise<{ name: string; made: string | undefined; parts: AsyncGenerator<Part> }> {
  const file = path.resolve(callerFolder(), given);
  if (given !== "latest" && existsSync(file)) {
    if (env.BACKUP_KEY === undefined)
      throw new Refusal("set BACKUP_KEY to the backup's passphrase");
    const parts = readExportBytes(given, createReadStream(file), env.BACKUP_KEY);
    return { name: given, made: momentIn(path.basename(given)), parts };
  }
  const { store, passphrase } = requireStore();
  const backups = await listBackups(store);
  const found = given === "latest" ? backups.at(-1) : backups.find(({ name }) => name === given);
  if (!found)
    throw new Refusal(
      given === "latest"
        ? `there is no backup in ${store.address}`
        : `there is no backup ${given} in ${store.address}: see kutip backup:list`,
    );
  const parts = readExportBytes(found.name, store.read(found.name), passphrase);
  return { name: found.name, made: momentIn(found.name), parts };
}

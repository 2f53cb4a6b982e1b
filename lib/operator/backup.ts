import { existsSync, statSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { chosenFolder, placesIn } from "@/db/embedded/folder";
import { postmasterOf } from "@/db/embedded/postmaster";
import { Refusal } from "@/db/embedded/refusal";
import { callerFolder, env } from "@/lib/env";
import { closeInstall } from "@/lib/supervisor/install";
import { type Install, openDatabase } from "@/lib/supervisor/open-database";
import { finishUpgrade } from "./finish-upgrade";
import { withoutHalves } from "./leftovers";
import { logicalBackup, logicalRestore } from "./logical";
import { physicalBackup } from "./physical-backup";
import { physicalRestore } from "./physical-restore";
import { refuseOfSeveralServers } from "./processes";
import { sinceRestore } from "./since-restore";
import { note, print, UsageError } from "./usage";
import { withInstall } from "./with-install";

/** Writes a backup to a file that does not exist yet, unless forced. */
export async function backup(args: string[]): Promise<void> {
  const { file, force } = read(args);
  if (existsSync(file) && !force)
    throw new Refusal(`${file} exists: name another file, or overwrite it with --force`);
  if (!existsSync(path.dirname(file)))
    throw new Refusal(`the folder ${path.dirname(file)} does not exist`);
  const copy = async ({ embedded, places }: Install) => {
    if (!embedded) await refuseOfSeveralServers();
    const { secret } = embedded ? await physicalBackup(places, file) : await logicalBackup(file);
    print(`${file} written, ${Math.ceil(statSync(file).size / 1024)} KiB.`);
    note(
      secret
        ? "it holds the install's secret: keep it where only you can read it"
        : "KUTIP_SECRET is not in it: without it the backup cannot be used, so keep it elsewhere",
    );
  };
  await withoutHalves(file, () => withInstall(copy, "keep"));
}

/** Puts a backup in place and checks it. */
export async function restore(args: string[]): Promise<void> {
  const { file, force } = read(args);
  if (!existsSync(file)) throw new Refusal(`${file} does not exist`);
  if (env.DATABASE_URL === undefined) {
    await releaseOrphan();
    const { manifest, tables, rows, since, setAside } = await physicalRestore(
      chosenFolder(),
      file,
      force,
    );
    print(
      `Restored the backup of ${manifest.made_at}: ${tables} tables, ${rows} rows, all read and in order.`,
    );
    for (const place of setAside) note(`the former content is in ${place}`);
    for (const text of since) note(text);
    return;
  }
  const install = await openDatabase();
  try {
    await logicalRestore(file, force, install.places);
    await finishUpgrade(install, "restored");
    print("Restored into the database of DATABASE_URL.");
    for (const text of await sinceRestore()) note(text);
  } finally {
    await closeInstall(install);
  }
}

// A server without its supervisor is unused: it is adopted and stopped.
async function releaseOrphan(): Promise<void> {
  if (postmasterOf(placesIn(chosenFolder()).cluster).state !== "alive") return;
  await closeInstall({ ...(await openDatabase()), startedHere: true });
}

function read(args: string[]): { file: string; force: boolean } {
  const { values, positionals } = parseArgs({
    args,
    options: { force: { type: "boolean" } },
    allowPositionals: true,
  });
  const [file, ...more] = positionals;
  if (!file || more.length > 0) throw new UsageError("one FILE is needed");
  return { file: path.resolve(callerFolder(), file), force: values.force ?? false };
}

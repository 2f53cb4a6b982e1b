import { existsSync, statSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import type pg from "pg";
import { longWork } from "@/db/client";
import { isDistributed } from "@/db/distributed";
import { Refusal } from "@/db/embedded/refusal";
import { readableAfterRestore } from "@/db/events-order";
import { noteRestoreOn, renewInstallId } from "@/db/settings";
import { dump } from "@/db/transfer/dump";
import { load } from "@/db/transfer/load";
import { type ExportHead, headOf, type Part } from "@/db/transfer/parts";
import { assertEmpty, makeSchemaOf } from "@/db/transfer/target";
import { copyMoment, noteCopy } from "@/db/upgrade";
import { readExport, writeExport } from "@/lib/backups/export-file";
import { callerFolder, env, provideEnv } from "@/lib/env";
import { closeInstall } from "@/lib/supervisor/install";
import { type Install, openDatabase } from "@/lib/supervisor/open-database";
import {
  adoptSecretOf,
  confirmSecretOfCopy,
  requireSecrets,
  secretOfCopy,
} from "@/lib/supervisor/secret";
import { followSecretFile, isSecretOf, placeSecret } from "@/lib/supervisor/secret-file";
import { finishUpgrade } from "./finish-upgrade";
import { withoutHalves } from "./leftovers";
import { refuseBesideOthers } from "./processes";
import { sinceRestore } from "./since-restore";
import { linesOfStdin, note, print, UsageError } from "./usage";
import { withInstall } from "./with-install";

const MIN_PASSPHRASE_LENGTH = 12;

/** Writes everything to a file that does not exist yet, unless forced. */
export async function exportInstall(args: string[]): Promise<void> {
  const { file, passphrase, force } = await read(args);
  if (existsSync(file) && !force)
    throw new Refusal(`${file} exists: name another file, or overwrite it with --force`);
  if (!existsSync(path.dirname(file)))
    throw new Refusal(`the folder ${path.dirname(file)} does not exist`);
  const copy = async (install: Install) => {
    if (await isDistributed())
      await refuseBesideOthers("write while one server after the other is copied");
    const copied = await secretOfCopy();
    const secret = isSecretOf(install.places.secret) ? copied : undefined;
    const moment = await copyMoment();
    const { tables, rows } = await dump(async (parts) => {
      await confirmSecretOfCopy(copied);
      await writeExport(file, parts, passphrase);
    }, secret);
    await noteCopy(moment);
    print(
      `${file} written: ${tables} tables, ${rows} rows, ${Math.ceil(statSync(file).size / 1024)} KiB.`,
    );
    if (secret === undefined)
      note("KUTIP_SECRET is not in it: without it the export cannot be used, so keep it elsewhere");
    else if (passphrase === undefined)
      note("it holds the install's secret: keep it where only you can read it");
  };
  await withoutHalves(file, () => withInstall(copy, "keep"));
}

/** Fills an empty install with an export, upgrades it unless --as-exported is given, and proves that the secret belongs to it. */
export async function importInstall(args: string[]): Promise<void> {
  const { file, passphrase, asExported } = await read(args);
  if (!existsSync(file)) throw new Refusal(`${file} does not exist`);
  await importParts(readExport(file, passphrase), asExported);
}

/** The same with the parts of any export. `accept` sees the rows before they are committed, and may throw. */
export async function importParts(
  parts: AsyncGenerator<Part>,
  asExported = false,
  accept?: (client: pg.Client) => Promise<void>,
): Promise<void> {
  const head = await headOf(parts);
  const install = await openDatabase();
  try {
    const { tables, rows } = await longWork(async () => {
      await assertEmpty();
      const { where, keep } = await useSecret(install, head);
      await makeSchemaOf(head, asExported);
      // In one commit: without the note renewals would charge what was paid after the export.
      const loaded = await load(head, parts, async (check, client) => {
        adoptSecretOf({ check, rotation: undefined }, where);
        await accept?.(client);
        await noteRestoreOn(client);
        await renewInstallId(client);
        await readableAfterRestore(client);
        keep();
      });
      if (!asExported) await finishUpgrade(install, "imported");
      return loaded;
    });
    print(
      `Imported the export of ${head.made_at}: ${tables} tables, ${rows} rows, counted and compared.`,
    );
    for (const text of await sinceRestore()) note(text);
    note("stop the install that was exported before you start this one");
  } finally {
    await parts.return(undefined);
    await closeInstall(install);
  }
}

/** The secret that opens the export, in this process. `keep` puts it into the data folder, once the export is proven whole. */
async function useSecret(
  { places }: Install,
  { secret }: ExportHead,
): Promise<{ where: string; keep: () => void }> {
  if (env.KUTIP_SECRET || secret === undefined)
    return { where: await requireSecrets(places.secret, "exported"), keep: () => undefined };
  provideEnv({ KUTIP_SECRET: secret, KUTIP_SECRET_PREVIOUS: "" });
  const keep = () => {
    const aside = placeSecret(places.secret, secret);
    if (aside) note(`the secret that was there is now in ${aside}`);
    followSecretFile(places.secret);
  };
  return { where: "the export", keep };
}

async function read(args: string[]) {
  const { values, positionals } = parseArgs({
    args,
    options: {
      force: { type: "boolean" },
      passphrase: { type: "boolean" },
      "as-exported": { type: "boolean" },
    },
    allowPositionals: true,
  });
  const [file, ...more] = positionals;
  if (!file || more.length > 0) throw new UsageError("one FILE is needed");
  return {
    file: path.resolve(callerFolder(), file),
    force: values.force ?? false,
    asExported: values["as-exported"] ?? false,
    ...(values.passphrase ? { passphrase: await readPassphrase() } : {}),
  };
}

async function readPassphrase(): Promise<string> {
  const [passphrase = ""] = await linesOfStdin("type the passphrase, Enter, and end with Ctrl-D");
  if (passphrase.length < MIN_PASSPHRASE_LENGTH)
    throw new Refusal(`the passphrase needs at least ${MIN_PASSPHRASE_LENGTH} characters`);
  return passphrase;
}

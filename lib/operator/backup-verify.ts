import { mkdtempSync, rmSync } from "node:fs";
import { randomBytes } from "node:crypto";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import type pg from "pg";
import { closePool, longWork } from "@/db/client";
import { connectClient } from "@/db/connection";
import { startCluster, stopCluster } from "@/db/embedded/cluster";
import { chosenFolder, placesIn } from "@/db/embedded/folder";
import { Refusal } from "@/db/embedded/refusal";
import { migrateDatabase } from "@/db/migrate";
import { load } from "@/db/transfer/load";
import { type ExportHead, headOf, type Part } from "@/db/transfer/parts";
import { makeSchemaOf } from "@/db/transfer/target";
import { verifyAudit } from "@/lib/domain/audit/verify";
import { unscopedLedgerState } from "@/lib/domain/payments/ledger-check-rows";
import { provideEnv } from "@/lib/env";
import { adoptSecretOf, requireSecrets } from "@/lib/supervisor/secret";
import { assertFilled, findBackup } from "./backup-source";
import { removeLeftFolders, removeOnSignal } from "./leftovers";
import { note, print, UsageError } from "./usage";

const FOLDER_PREFIX = "kutip-verify-";
const NEW_DATABASE_SECONDS = 600;

/** Restores a backup where nothing else is, and says in a sentence whether it is good; the exit code is 1 when it is not. */
export async function backupVerify(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    options: { server: { type: "string" } },
    allowPositionals: true,
  });
  if (positionals.length > 1) throw new UsageError("one backup at a time");
  const found = await findBackup(positionals[0]);
  const { name, parts } = found;
  const head = await headOf(parts);
  await useSecret(head);
  const scratch = values.server === undefined ? scratchCluster() : scratchDatabase(values.server);
  const ignoreSignals = removeOnSignal(scratch.remove);
  try {
    const url = await scratch.make();
    // Long work prefers the direct address: all of them have to lead to the scratch server.
    provideEnv({ DATABASE_URL: url, DATABASE_DIRECT_URL: "", DATABASE_REPLICA_URL: "" });
    const { text, faults } = await longWork(async () => {
      const checked = await check(head, parts);
      await assertFilled(found);
      return checked;
    });
    for (const fault of faults) print(`bad  ${fault}`);
    print(
      faults.length === 0
        ? `${name} is good: ${text}.`
        : `${name} is not good: its books are wrong.`,
    );
    return faults.length === 0 ? 0 : 1;
  } finally {
    await parts.return(undefined);
    await scratch.remove().finally(ignoreSignals);
  }
}

/** The secret that opens the backup: its own, else that of the settings or the data folder. */
async function useSecret({ secret }: ExportHead): Promise<void> {
  if (secret !== undefined) return provideEnv({ KUTIP_SECRET: secret, KUTIP_SECRET_PREVIOUS: "" });
  await requireSecrets(placesIn(chosenFolder()).secret, "backed up");
}

/** Loads it, which compares sums and counts of rows, and reads the books. */
async function check(
  head: ExportHead,
  parts: AsyncGenerator<Part>,
): Promise<{ text: string; faults: string[] }> {
  await makeSchemaOf(head);
  const { tables, rows } = await load(head, parts, async (secret) =>
    adoptSecretOf({ check: secret, rotation: undefined }, "the settings"),
  );
  await migrateDatabase();
  const { entries, lopsided, disagreeing } = await unscopedLedgerState();
  const logs = await verifyAudit();
  const faults = [
    ...(lopsided > 0 ? [`ledger: ${lopsided} postings do not sum to zero`] : []),
    ...(disagreeing > 0
      ? [`ledger: ${disagreeing} payments are booked otherwise than they stand`]
      : []),
    ...logs
      .filter(({ fault }) => fault)
      .map(({ businessId, fault }) => `audit log of business ${businessId}: ${fault}`),
  ];
  const text = `of ${head.made_at}, ${tables} tables and ${rows} rows counted and compared, ${entries} ledger entries that sum to zero and agree with the payments, ${logs.length} audit logs unbroken`;
  return { text, faults };
}

/** A database to restore into: `make` returns its address, and removes what killed commands left. `remove` may come at any time. */
type Scratch = { make: () => Promise<string>; remove: () => Promise<void> };

function scratchCluster(): Scratch {
  let folder: string | undefined;
  return {
    make: async () => {
      removeLeftFolders(os.tmpdir(), FOLDER_PREFIX);
      folder = mkdtempSync(path.join(os.tmpdir(), `${FOLDER_PREFIX}${process.pid}-`));
      // It is thrown away: it need not survive a crash.
      const { url } = await startCluster(folder, {
        settings: { fsync: "off", synchronous_commit: "off", full_page_writes: "off" },
      });
      return url;
    },
    remove: async () => {
      await closePool();
      if (folder === undefined) return;
      stopCluster(folder);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function scratchDatabase(server: string): Scratch {
  if (!/^postgres(ql)?:\/\/[^\s]+$/.test(server) || !URL.canParse(server))
    throw new UsageError("--server takes postgres://user@host:5432/name");
  const given = new URL(server);
  if (given.password !== "" || given.searchParams.has("password"))
    throw new UsageError(
      "--server takes no password, as others see arguments: give it in the variable PGPASSWORD",
    );
  let name: string | undefined;
  return {
    make: async () => {
      await removeLeftDatabases(server);
      const [clock] = await run<{ seconds: string }>(
        server,
        "select extract(epoch from now())::bigint as seconds",
      );
      name = `kutip_verify_${clock?.seconds}_${randomBytes(6).toString("hex")}`;
      await run(server, `create database ${name} template template0`);
      const url = new URL(server);
      url.pathname = `/${name}`;
      return url.href;
    },
    remove: async () => {
      await closePool();
      if (name === undefined) return;
      // A copy that stays does not change the verdict.
      await run(server, `drop database if exists ${name} with (force)`).catch((error: Error) =>
        note(`the database ${name} is left: ${error.message}`),
      );
    },
  };
}

/** A database that is used has connections. A new one has none at first, and its name says when it was made. */
async function removeLeftDatabases(server: string): Promise<void> {
  const left = await run<{ name: string }>(
    server,
    `select datname as name from pg_database d
     where datname ~ '^kutip_verify_[0-9a-f_]+$'
       and not exists (select from pg_stat_activity a where a.datid = d.oid)
       and coalesce(substring(datname from '^kutip_verify_([0-9]{1,12})_')::bigint, 0) < extract(epoch from now()) - ${NEW_DATABASE_SECONDS}`,
  );
  for (const { name } of left) {
    await run(server, `drop database if exists ${name}`).then(
      () => note(`the database ${name} of a verification that was killed is removed`),
      (error: Error) => note(`the database ${name} is left: ${error.message}`),
    );
  }
}

async function run<Row extends pg.QueryResultRow>(
  server: string,
  statement: string,
): Promise<Row[]> {
  let client: pg.Client | undefined;
  try {
    client = await connectClient(server, {
      statementLimitMs: 0,
      application_name: "kutip verify",
    });
    // A database of any size is made and dropped by one statement, which no transaction may hold.
    await client.query("set statement_timeout = 0; set lock_timeout = 0");
    return (await client.query<Row>(statement)).rows;
  } catch (error) {
    throw new Refusal(`the server of --server refuses: ${(error as Error).message}`);
  } finally {
    await client?.end().catch(() => undefined);
  }
}

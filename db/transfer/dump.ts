import { to as copyTo } from "pg-copy-streams";
import { version } from "@/lib/kernel/version";
import { journalOf, sequencesOf, tablesOf } from "./catalog";
import type { ExportHead, Part } from "./parts";
import { copySession } from "./session";

/** Hands the whole database of DATABASE_URL to `write` part by part, as it was at one moment, beside running processes. */
export async function dump(
  write: (parts: AsyncGenerator<Part>) => Promise<void>,
  secret: string | undefined,
): Promise<{ tables: number; rows: number }> {
  let rows = 0;
  const tables = await copySession("isolation level repeatable read read only", async (client) => {
    const { rows: server } = await client.query<{ postgres: string; made_at: string }>(
      "select current_setting('server_version') as postgres, to_char(now(), 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"') as made_at",
    );
    const head: ExportHead = {
      kutip: version,
      ...(server[0] as { postgres: string; made_at: string }),
      migrations: await journalOf(client),
      tables: await tablesOf(client),
      sequences: await sequencesOf(client),
      ...(secret === undefined ? {} : { secret }),
    };
    const parts = async function* (): AsyncGenerator<Part> {
      yield head;
      for (const { table, columns } of head.tables) {
        yield { begin: table };
        let inTable = 0;
        // A line is a row: line feeds within values are escaped.
        const copy = copyTo(`copy (select ${columns.join(", ")} from ${table}) to stdout`);
        for await (const data of client.query(copy)) {
          inTable += linesIn(data as Buffer);
          yield data as Buffer;
        }
        yield { end: table, rows: inTable };
        rows += inTable;
      }
    };
    await write(parts());
    return head.tables.length;
  });
  return { tables, rows };
}

function linesIn(data: Buffer): number {
  let lines = 0;
  for (let at = data.indexOf("\n"); at >= 0; at = data.indexOf("\n", at + 1)) lines++;
  return lines;
}

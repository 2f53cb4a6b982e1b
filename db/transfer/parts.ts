import { Refusal } from "../embedded/refusal";

/** A table with the columns that are copied, and its partitions with their bounds. */
export type TablePart = {
  table: string;
  columns: string[];
  partitions: { path: string; bound: string }[];
};

/** The first part of an export: where it comes from, and what is needed to read it. */
export type ExportHead = {
  kutip: string;
  postgres: string;
  made_at: string;
  migrations: { when: number; hash: string }[];
  tables: TablePart[];
  sequences: { path: string; last: string }[];
  /** The install's secret, where the install keeps it. */
  secret?: string;
};

/** What an export consists of: its head; then for each table the table, its rows in the text format of COPY, and how many there were. */
export type Part = ExportHead | { begin: string } | { end: string; rows: number } | Buffer;

/** Reads the first part of an export. Throws a Refusal where it is something else. */
export async function headOf(parts: AsyncGenerator<Part>): Promise<ExportHead> {
  const { value } = await parts.next();
  if (!value || Buffer.isBuffer(value) || !("migrations" in value))
    throw new Refusal("the export does not begin with its head: take another copy");
  return value;
}

import { stringify } from "csv-stringify/sync";

type Cell = string | number | boolean | null;

const cell = (value: unknown): Cell =>
  value === null || value === undefined
    ? null
    : Array.isArray(value)
      ? value.join(" ")
      : typeof value === "number" || typeof value === "boolean"
        ? value
        : String(value);

/**
 * A table as CSV, made batch by batch as it is read, so that it never stands in memory whole: the header row, then a line a record.
 * Texts that a spreadsheet would take for a formula get an apostrophe in front.
 */
export function csvStream<Name extends string>(
  columns: readonly Name[],
  batches: AsyncGenerator<ReadonlyArray<Record<Name, unknown>>>,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const lines = (rows: Cell[][]) =>
    encoder.encode(stringify(rows, { escape_formulas: true, cast: { boolean: String } }));
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => controller.enqueue(lines([[...columns]])),
      pull: async (controller) => {
        const { done, value } = await batches.next();
        if (done) controller.close();
        else controller.enqueue(lines(value.map((row) => columns.map((name) => cell(row[name])))));
      },
      cancel: async () => void (await batches.return(undefined)),
    },
    { highWaterMark: 1 },
  );
}

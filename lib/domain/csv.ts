import { setImmediate as breathe } from "node:timers/promises";
import { stringify } from "csv-stringify/sync";
import { exportHeader, momentsOf } from "@/lib/kernel/local-columns";
import { log } from "@/lib/kernel/log";
import { overloaded } from "@/lib/kernel/problem";
import { harmlessCell } from "@/lib/kernel/spreadsheet";
import { localTimes } from "@/lib/kernel/wall-clock";
import type { Ctx } from "./context";
import { zoneOf } from "./zone-rows";

/** Without it Excel on Windows reads UTF-8 as another encoding. Programs read the name of the first column as it is, so theirs has none. */
const BYTE_ORDER_MARK = "\uFEFF";

/** As many rows are made into text in one go on the web thread. */
const ROWS_IN_ONE_GO = 100;

/** Fields with such names are amounts that we write as decimals: they may be negative, and no text from outside is in them. */
const isDecimal = (name: string) => name.endsWith("_decimal");

const cell = (name: string, value: unknown): string | null =>
  value === null || value === undefined
    ? null
    : typeof value === "number" || typeof value === "boolean" || isDecimal(name)
      ? String(value)
      : harmlessCell(Array.isArray(value) ? value.join(" ") : String(value));

/** Exports of one business under way in a process: each waits for its reader, who may be slow. */
export const MAX_EXPORTS = 4;
const RETRY_SECONDS = 10;
const underWay = new Map<number, number>();

/** Takes a place among the exports of the business; returns what gives it back. Throws 429. */
function takePlace({ businessId }: Ctx): () => void {
  const taken = underWay.get(businessId) ?? 0;
  if (taken >= MAX_EXPORTS) throw overloaded(RETRY_SECONDS);
  underWay.set(businessId, taken + 1);
  let given = false;
  return () => {
    if (given) return;
    given = true;
    const left = (underWay.get(businessId) ?? 1) - 1;
    if (left === 0) underWay.delete(businessId);
    else underWay.set(businessId, left);
  };
}

/**
 * A table as CSV: the header row, then a line a record. Made in batches as it is read, so it is never in memory as a whole.
 * No text can become a formula in a spreadsheet. Each moment comes again behind the columns, in local time of `zone` or else of the business.
 * Staff get it with a byte order mark. Throws 429 when the business has too many under way.
 */
export async function csvStream<Name extends string>(
  ctx: Ctx,
  columns: readonly Name[],
  batches: AsyncGenerator<ReadonlyArray<Record<Name, unknown>>>,
  zone?: string,
): Promise<ReadableStream<Uint8Array>> {
  const leave = takePlace(ctx);
  const encoder = new TextEncoder();
  const lines = (rows: (string | null)[][]) => encoder.encode(stringify(rows));
  const guarded = <T>(read: Promise<T>, failureOf: (error: unknown) => unknown) =>
    read.catch((error: unknown) => {
      leave();
      throw failureOf(error);
    });
  const timeZone = zone ?? (await guarded(zoneOf(ctx), (error) => error));
  const moments = momentsOf(columns);
  const local = localTimes(timeZone);
  const lineOf = (row: Record<Name, unknown>) => [
    ...columns.map((name) => cell(name, row[name])),
    ...moments.map((name) => (typeof row[name] === "string" ? local(row[name]) : null)),
  ];
  // The first batch comes before the answer begins, so that a refusal is still a status.
  const first = await guarded(batches.next(), (error) => error);
  let next = Promise.resolve(first);
  /** The HTTP server prints this error and sends its message: a database's own error holds the values of the filters. */
  const brokenOff = (error: unknown) => {
    log.error({ request_id: ctx.requestId, err: error }, "an export broke off");
    return new Error("The export broke off.");
  };
  const end = () => {
    leave();
    ctx.disconnected?.().removeEventListener("abort", end);
  };
  ctx.disconnected?.().addEventListener("abort", end);
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        if (ctx.role) controller.enqueue(encoder.encode(BYTE_ORDER_MARK));
        controller.enqueue(lines([exportHeader(columns, timeZone)]));
      },
      pull: async (controller) => {
        const { done, value } = await guarded(next, brokenOff);
        if (done) {
          end();
          return controller.close();
        }
        // The database reads one batch while the one before is made into text and sent.
        next = batches.next();
        next.catch(() => undefined);
        for (let from = 0; from < value.length; from += ROWS_IN_ONE_GO) {
          await breathe();
          const rows = value.slice(from, from + ROWS_IN_ONE_GO);
          controller.enqueue(lines(rows.map(lineOf)));
        }
      },
      cancel: async () => {
        end();
        await batches.return(undefined);
      },
    },
    { highWaterMark: 1 },
  );
}

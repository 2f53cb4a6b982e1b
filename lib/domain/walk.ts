import { heavyRead } from "@/db/heavy-reads";
import { type Sort, sortValue, type Walk } from "@/db/page";
import type { Ctx } from "./context";
import { businessTime } from "./business-time";

type Listed = { id: string } & Parameters<typeof sortValue>[0];

// Small, since a batch is made into text in one go on the web thread.
const BATCH_ROWS = 200;

/** All rows of a list in its order, in batches: each batch is one statement that continues behind the last row. */
export async function* wholeList<Row extends Listed>(
  ctx: Ctx,
  order: string | undefined,
  fetch: (walk: Walk) => Promise<Row[]>,
): AsyncGenerator<Row[]> {
  const sort = (order ?? "-created_at") as Sort;
  let last: Row | undefined;
  for (;;) {
    const position = last && {
      value: sortValue(last, sort),
      id: last.id,
    };
    const walk: Walk = {
      sort,
      limit: BATCH_ROWS,
      offset: 0,
      back: false,
      ...(position ? { position } : {}),
    };
    const rows: Row[] = await businessTime.run(
      String(ctx.businessId),
      () => heavyRead(ctx, "export", () => fetch(walk)),
      ctx.disconnected,
    );
    if (rows.length > 0) yield rows;
    if (rows.length < BATCH_ROWS) return;
    last = rows.at(-1);
  }
}

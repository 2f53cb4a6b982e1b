import type { Walk } from "@/db/page";

type Listed = { id: string; createdAt: string; amount?: number };

const batch = 1_000;

/** All rows of a list in its order, a batch at a time: each one is a statement by itself, from behind the last row that was seen. */
export async function* wholeList<Row extends Listed>(
  order: string | undefined,
  fetch: (walk: Walk) => Promise<Row[]>,
): AsyncGenerator<Row[]> {
  const sort = (order ?? "-created_at") as Walk["sort"];
  let last: Row | undefined;
  for (;;) {
    const position = last && {
      value: sort.endsWith("amount") ? (last.amount ?? 0) : last.createdAt,
      id: last.id,
    };
    const rows: Row[] = await fetch({
      sort,
      limit: batch,
      offset: 0,
      back: false,
      ...(position ? { position } : {}),
    });
    if (rows.length > 0) yield rows;
    if (rows.length < batch) return;
    last = rows.at(-1);
  }
}

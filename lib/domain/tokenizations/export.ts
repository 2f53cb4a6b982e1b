import type { TokenizationQuery } from "@/lib/contract/tokenizations";
import type { Ctx } from "../context";
import { csvStream } from "../csv";
import { wholeList } from "../walk";
import { tokenizationColumns } from "./columns";
import { presentFor } from "./present";
import { listTokenizations, type TokenizationRow } from "./rows";

/** Every record of a saved method that the filters match, as CSV. */
export function exportCsv(
  ctx: Ctx,
  query: Omit<TokenizationQuery, "page" | "per_page" | "cursor">,
): Promise<ReadableStream<Uint8Array>> {
  return csvStream(ctx, tokenizationColumns, batches(ctx, query));
}

async function* batches(ctx: Ctx, query: Parameters<typeof exportCsv>[1]) {
  for await (const rows of wholeList(ctx, query.sort, (walk) =>
    listTokenizations(ctx, query, walk),
  ))
    yield rows.map((row) => asRow(ctx, row));
}

function asRow(ctx: Ctx, row: TokenizationRow) {
  const {
    token: _token,
    activation_url: _address,
    payment_method: method,
    ...shown
  } = presentFor(ctx, row);
  return {
    ...shown,
    card_brand: method?.brand ?? null,
    card_last4: method?.last4 ?? null,
    card_exp: method?.exp ?? null,
  };
}

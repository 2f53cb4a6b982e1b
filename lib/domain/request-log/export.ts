import type { RequestLogQuery } from "@/lib/contract/request-log";
import type { Ctx } from "../context";
import { csvStream } from "../csv";
import { wholeList } from "../walk";
import type { Role } from "@/lib/contract/values";
import { requestColumns } from "./columns";
import { presentRequest } from "./list";
import { listRequests } from "./rows";

/** Every call that the filters match, as a member of this role may see it, without headers and bodies, as CSV. */
export function exportCsv(
  ctx: Ctx,
  role: Role,
  query: Omit<RequestLogQuery, "page" | "per_page" | "cursor">,
): Promise<ReadableStream<Uint8Array>> {
  return csvStream(ctx, requestColumns, batches(ctx, role, query));
}

async function* batches(ctx: Ctx, role: Role, query: Parameters<typeof exportCsv>[2]) {
  for await (const rows of wholeList(ctx, query.sort, (walk) => listRequests(ctx, query, walk)))
    yield rows.map((row) => {
      const { api_key: key, person, ...call } = presentRequest(row, role);
      return { ...call, api_key: key?.name, person: person?.name };
    });
}

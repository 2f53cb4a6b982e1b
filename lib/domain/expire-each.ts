import type { Share } from "@/db/fair-share";
import { log } from "@/lib/kernel/log";
import { type Ctx, systemCtx } from "./context";

const BATCH = 200;
const PER_BUSINESS = 25;
const BUSINESSES_AT_ONCE = 4;

type Row = { businessId: number; mode: Ctx["mode"]; id: string };

/** Expires due records, businesses side by side: one that fails waits for the next round and delays no other. Returns how many expired. */
export async function expireEach(
  due: (share: Share) => Promise<Row[]>,
  expire: (ctx: Ctx, id: string) => Promise<boolean>,
  requestId: string,
): Promise<number> {
  const rows = await due({ limit: BATCH, perBusiness: PER_BUSINESS });
  const businesses = [...Map.groupBy(rows, (row) => row.businessId).values()];
  let done = 0;
  const lane = async () => {
    for (let records = businesses.shift(); records; records = businesses.shift())
      for (const row of records) {
        try {
          if (await expire(systemCtx(row, { kind: "clock" }, requestId), row.id)) done++;
        } catch (error) {
          log.error({ request_id: requestId, record: row.id, err: error }, "expiry failed");
        }
      }
  };
  await Promise.all(Array.from({ length: BUSINESSES_AT_ONCE }, lane));
  return done;
}

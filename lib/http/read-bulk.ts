import { compute } from "@/lib/compute/pool";
import type { BulkBody } from "@/lib/compute/tasks";
import type { Ctx } from "@/lib/domain/context";
import { type FieldErrors, Problem } from "@/lib/kernel/problem";

/** The body of a bulk call, parsed and checked in a thread. Throws 400, 422 where no row can be read, 429. */
export async function readBulk(
  ctx: Ctx,
  text: string,
  csv: boolean,
): Promise<{ ok: true; data: BulkBody } | { ok: false; errors: FieldErrors }> {
  const checked = await compute(ctx, "bulk", { text, csv });
  if (checked.ok || "errors" in checked) return checked;
  const { status, code, message, errors } = checked.problem;
  throw new Problem(status, code, message, errors ? { errors } : {});
}

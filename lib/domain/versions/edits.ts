import type { Executor } from "@/db/client";
import { nowOf } from "@/db/columns";
import type { Actor } from "@/db/columns";
import { Problem } from "@/lib/kernel/problem";
import { named } from "../actors/named";
import { namesOf } from "../actors/rows";
import type { Ctx } from "../context";

export type Versioned = { version: number; changedBy: Actor | null; changedAt: string | null };

/**
 * Throws 409 `stale_version` when the caller has seen another version than `row`, which must be locked until the edit is written.
 * `present` gives the record as the API answers it.
 */
export async function assertSeen(
  ctx: Ctx,
  on: Executor,
  row: Versioned,
  present: () => object | Promise<object>,
): Promise<void> {
  const { seenVersion } = ctx;
  if (seenVersion === undefined || seenVersion === row.version) return;
  const { changedBy, changedAt } = row;
  throw new Problem(
    409,
    "stale_version",
    `This record was edited after version ${seenVersion}: it is at version ${row.version} now.`,
    {
      details: {
        current: await present(),
        changed_by: changedBy && named(changedBy, await namesOf(ctx, [changedBy], on)),
        changed_at: changedAt,
      },
    },
  );
}

/** The columns of an edit besides its values: the next version and who made it. Nothing when no value differs from the locked row. */
export function editOf<Row extends Versioned>(
  ctx: Ctx,
  row: Row,
  values: Partial<Row>,
): Partial<Versioned> {
  const differs = Object.entries(values).some(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(row[name as keyof Row]),
  );
  return differs ? { version: row.version + 1, changedBy: ctx.actor, changedAt: nowOf(ctx) } : {};
}

import { and, eq, isNotNull, isNull, sql } from "drizzle-orm";
import { db, withTransaction } from "@/db/client";
import { backupSchedule } from "@/db/schema/backups";
import { assertHeld, type Due, type Row, unscopedExtend } from "@/lib/jobs/claim-rows";

export type Schedule = typeof backupSchedule.$inferSelect;
export type Claimed = Row<typeof backupSchedule>;

const INSTALL = "install";

/** A backup that is due. The install is the one tenant. */
export const dueBackup: Due<typeof backupSchedule> = {
  table: backupSchedule,
  fairBy: [backupSchedule.id],
  moment: backupSchedule.nextAt,
  where: sql`${backupSchedule.nextAt} is not null`,
};

/** The schedule and the time of the database; no schedule before the first plan. */
export async function readSchedule(): Promise<{ schedule: Schedule | undefined; now: Date }> {
  const { rows } = await db.execute<{ now: string }>(
    sql`select to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as now`,
  );
  const [schedule] = await db.select().from(backupSchedule).where(eq(backupSchedule.id, INSTALL));
  return { schedule, now: new Date(rows[0]?.now ?? "") };
}

/** The next backup is due at this moment, unless one is due before. */
export async function planBackup(nextAt: Date): Promise<void> {
  const moment = nextAt.toISOString();
  await db
    .insert(backupSchedule)
    .values({ id: INSTALL, nextAt: moment })
    .onConflictDoUpdate({
      target: backupSchedule.id,
      set: { nextAt: sql`least(${backupSchedule.nextAt}, ${moment}::timestamptz)` },
    });
}

/** Keeps the claim of a backup that goes on: one of hours outlives what the engine extends. */
export const extendClaim = (claimed: Claimed, seconds: number): Promise<void> =>
  unscopedExtend(backupSchedule, [claimed], seconds);

/** No backup is due any more. */
export async function endSchedule(): Promise<void> {
  await db.update(backupSchedule).set({ nextAt: null }).where(eq(backupSchedule.id, INSTALL));
}

/** Writes that a try is under way, by clearing the problem of the former one. */
export async function beginBackup(claimed: Claimed): Promise<void> {
  await withTransaction(async (tx) => {
    await assertHeld(tx, backupSchedule, [claimed]);
    await tx.update(backupSchedule).set({ problem: null });
  });
}

/** Ends the wait after a try that failed. A try that is under way has no problem yet, and keeps its claim. */
export async function endWaitForBackup(): Promise<void> {
  await db
    .update(backupSchedule)
    .set({ leasedUntil: null })
    .where(
      and(
        eq(backupSchedule.id, INSTALL),
        isNull(backupSchedule.leasedBy),
        isNotNull(backupSchedule.problem),
      ),
    );
}

/** Writes that a backup is complete, and when the next one is due. Throws ClaimLost when another worker has taken over. */
export async function completeBackup(
  claimed: Claimed,
  { name, bytes, moment, nextAt }: { name: string; bytes: number; moment: string; nextAt: Date },
): Promise<void> {
  await withTransaction(async (tx) => {
    await assertHeld(tx, backupSchedule, [claimed]);
    await tx.update(backupSchedule).set({
      nextAt: nextAt.toISOString(),
      problem: null,
      lastName: name,
      lastBytes: bytes,
      lastAt: moment,
    });
  });
}

/** Writes why a try failed, while this worker has the claim. */
export async function failBackup(claimed: Claimed, problem: string): Promise<void> {
  await withTransaction(async (tx) => {
    await assertHeld(tx, backupSchedule, [claimed]);
    await tx.update(backupSchedule).set({ problem });
  });
}

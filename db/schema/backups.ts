import { bigint, pgTable, text } from "drizzle-orm/pg-core";
import { at, claims } from "../columns";

/** One row: when the install is next backed up, what came of the last try, and the last backup that is complete. */
export const backupSchedule = pgTable("backup_schedule", {
  id: text("id").primaryKey(),
  /** Null while backups are not set up. */
  nextAt: at("next_at"),
  ...claims(),
  /** Why the last try failed; null after one that succeeded. */
  problem: text("problem"),
  /** The last complete backup: its name, its size, and the moment of the database that it holds. */
  lastName: text("last_name"),
  lastBytes: bigint("last_bytes", { mode: "number" }),
  lastAt: at("last_at"),
});

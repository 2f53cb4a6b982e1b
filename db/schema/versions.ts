import { integer, jsonb } from "drizzle-orm/pg-core";
import { type Actor, at } from "../columns";

/** `version` counts the edits of a record's editable fields. Who made the last edit and when are null before the first. */
export const versioned = () => ({
  version: integer("version").notNull().default(1),
  changedBy: jsonb("changed_by").$type<Actor>(),
  changedAt: at("changed_at"),
});

import type * as z from "zod";
import type { NamedActor } from "@/lib/contract/versions";

/** A field that another person edited while a form was open: its value at first, now, and in the form where that differs from both. */
export type FieldChange = { name: string; before: unknown; after: unknown; mine?: unknown };

type Values = Readonly<Record<string, unknown>>;

/** Changes that another person saved while the form was open. */
export type Stale = {
  changes: readonly FieldChange[];
  /** The record as the form began with it, and as it is now. */
  began: Values;
  now: Values;
  /** Null while it is not known. */
  by: NamedActor | null;
  at: string | null;
  refused: boolean;
  /** Puts the others' changes into the form and keeps the rest of what was written. */
  takeOver: () => void;
  /** Keeps the form as it is: the next save writes over the others' changes. After a refused save it saves at once. */
  keepMine: () => void;
};

const same = (a: unknown, b: unknown) => JSON.stringify(a ?? "") === JSON.stringify(b ?? "");

/** Every field of a schema that a record has, as a form holds it. A form that does not show one of them sends it back as it was. */
export function formValues<S extends z.ZodObject, R extends object>(
  schema: S,
  record: R,
): { [K in Exclude<keyof z.input<S> & keyof R, "version">]: unknown } {
  const values = record as Values;
  const names = Object.keys(schema.shape).filter((name) => name !== "version" && name in values);
  return Object.fromEntries(names.map((name) => [name, values[name] ?? ""])) as never;
}

/** The fields that differ between what a form began with and the record as it is now. */
export function changesBetween(began: Values, now: Values, mine: Values): FieldChange[] {
  return Object.keys(now)
    .filter((name) => !same(began[name], now[name]))
    .map((name) => ({
      name,
      before: began[name],
      after: now[name],
      ...(same(mine[name], began[name]) || same(mine[name], now[name]) ? {} : { mine: mine[name] }),
    }));
}

/** The form's values with what others changed in place of its own; all else stays as it was written. */
export function merged(mine: Values, changes: readonly FieldChange[]): Record<string, unknown> {
  return { ...mine, ...Object.fromEntries(changes.map(({ name, after }) => [name, after])) };
}

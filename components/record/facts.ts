import type { ReactNode } from "react";

/** A fact about a record, or null where the record has none or another part of the page shows it. */
export type Fact = { label: string; value: ReactNode } | null;

/** A fact that is left out where the record has no value. */
export const given = (label: string, value: ReactNode): Fact =>
  value === null ? null : { label, value };

/** The facts to show, in their order. Facts are declared for every field of a record. */
export const shownFacts = (facts: Readonly<Record<string, Fact>>): NonNullable<Fact>[] =>
  Object.values(facts).filter((fact) => fact !== null);

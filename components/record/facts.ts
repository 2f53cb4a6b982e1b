import type { ReactNode } from "react";

/** A fact about a record, or null where the record has none. */
type Fact = { label: string; value: ReactNode } | null;

/** The facts of each field of a record; null where another part of the page shows the field. */
export type FactsOf<Row> = { readonly [Name in keyof Row]-?: Fact | readonly Fact[] };

/** A fact that is left out where the record has no value. */
export const given = (label: string, value: ReactNode): Fact =>
  value === null ? null : { label, value };

/** The facts to show, in their order. */
export const shownFacts = <Row>(facts: FactsOf<Row>): NonNullable<Fact>[] =>
  Object.values<Fact | readonly Fact[]>(facts)
    .flat()
    .filter((fact) => fact !== null);

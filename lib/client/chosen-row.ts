import { useState } from "react";

type Row = { _id: string };

/** A chosen row as its list has it now; as it was chosen where the list has it no more. */
export const latestOf = <R extends Row>(rows: readonly R[] | undefined, chosen: R | null) =>
  (chosen && rows?.find(({ _id }) => _id === chosen._id)) ?? chosen;

/** The row that a dialog is about. It follows its list: a dialog must not show an amount that others have changed. */
export function useChosenRow<R extends Row>(
  rows: readonly R[] | undefined,
): [chosen: R | null, choose: (row: R | null) => void] {
  const [chosen, choose] = useState<R | null>(null);
  return [latestOf(rows, chosen), choose];
}

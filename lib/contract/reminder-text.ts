type Reminder = { days: number; relative_to: "created_at" | "due_at" };

const names = { created_at: "created", due_at: "due" } as const;
/** A reminder as a part of a CSV cell: "due-1". */
export const reminderText = ({ days, relative_to: base }: Reminder): string =>
  `${names[base]}${days < 0 ? "" : "+"}${days}`;

/** A schedule as a cell of a CSV file: "created+3 due-1"; "none" for an empty one. */
export const remindersText = (list: readonly Reminder[]): string =>
  list.map(reminderText).join(" ") || "none";

/** The schedule that a cell holds; a cell that holds something else stays a text, for the contract to refuse. */
export function remindersFrom(cell: string): Reminder[] | string {
  const text = cell.trim().toLowerCase();
  if (text === "none") return [];
  const parts = text.split(/[\s,;]+/).map((part) => /^(created|due)([+-]\d{1,3})$/.exec(part));
  const list = parts.flatMap((part) =>
    part ? [{ days: Number(part[2]), relative_to: `${part[1]}_at` } as Reminder] : [],
  );
  return list.length === parts.length ? list : cell;
}

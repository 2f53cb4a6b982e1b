import type { Business } from "@/lib/contract/business";

const seenByPayers = [
  "name",
  "logo",
  "accent",
  "support_email",
  "support_phone",
] as const satisfies readonly (keyof Business)[];

/** What a notice adds to "Saved": nothing where payers see nothing of the change. */
export const savedNote = (before: Business, after: Business): string | undefined =>
  seenByPayers.some((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
    ? "Payers see it from now on."
    : undefined;

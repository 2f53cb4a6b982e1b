import type { Table } from "@/lib/client/read-table";
import { leftOutNames } from "./import-columns";
import type { Matching } from "./import-file";

const NAMED = 3;

/** How a file was read, what of it an import takes and what not, in words; undefined where nothing is to be said. */
export function noteOf(
  { workbook, encoding, lines }: Pick<Table, "workbook" | "encoding" | "lines">,
  chosen: Matching,
): string | undefined {
  const { sheet = "", sheets = [], hidden = 0 } = workbook ?? {};
  const names = leftOutNames(lines, chosen);
  const named = names.slice(0, NAMED).map((name) => `“${name}”`);
  const more = names.length - named.length;
  const parts = [
    ...(encoding ? [`Read as ${encoding}: check letters such as ü`] : []),
    ...(sheets.length > 1 ? [`Sheet “${sheet}”`] : []),
    ...(hidden > 0
      ? [hidden === 1 ? "1 hidden row is left out" : `${hidden} hidden rows are left out`]
      : []),
    ...(names.length === 1 ? [`Column ${named.join()} is left out`] : []),
    ...(names.length > 1
      ? [`Columns ${named.join(", ")}${more > 0 ? ` and ${more} more` : ""} are left out`]
      : []),
  ];
  return parts.join(" · ") || undefined;
}

/** The columns with moments. In the API these fields, and no others, have names that end in `_at`. */
export const momentsOf = <Name extends string>(columns: readonly Name[]): Name[] =>
  columns.filter((name) => name.endsWith("_at"));

/** The header row of an export: its columns, then a column for each moment in local time. */
export const exportHeader = (columns: readonly string[], timeZone: string): string[] => [
  ...columns,
  ...momentsOf(columns).map((name) => `${name} (${timeZone})`),
];

/** Whether a column of an export repeats the moments of another one in local time. */
export function isLocalTime(header: string, headers: readonly string[]): boolean {
  const [, moment] = /^(\w+_at) \([A-Za-z][\w+/-]*\)$/.exec(header) ?? [];
  return moment !== undefined && headers.includes(moment);
}

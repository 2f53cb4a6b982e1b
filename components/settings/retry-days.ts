/** Days as people write them, "1, 3, 5, 7", as numbers; what is no whole number stays text, for the contract to refuse. */
export const daysFrom = (text: string): (number | string)[] =>
  text
    .split(/[\s,;]+/)
    .filter(Boolean)
    .map((part) => (/^\d{1,4}$/.test(part) ? Number(part) : part));

export const daysText = (days: unknown): string => (Array.isArray(days) ? days.join(", ") : "");

const FIRST_YEAR = 2000;

/** A month that the API knows, `YYYY-MM`. */
export const isMonth = (text: string): boolean => /^20\d\d-(0[1-9]|1[0-2])$/.test(text);

/** The present month in a zone. */
export const monthNow = (timeZone: string): string =>
  new Intl.DateTimeFormat("sv-SE", { timeZone, year: "numeric", month: "2-digit" }).format();

/** The month that comes `count` months later. Beyond the calendar of the API it stays. */
export function monthAfter(month: string, count: number): string {
  const [year = FIRST_YEAR, number = 1] = month.split("-").map(Number);
  const found = new Date(Date.UTC(year, number - 1 + count)).toISOString().slice(0, 7);
  return isMonth(found) ? found : month;
}

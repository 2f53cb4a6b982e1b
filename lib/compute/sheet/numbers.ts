import { damaged } from "./unreadable";

/** How a style shows a number. `zeros` is how many digits a format such as 00000 fills up to. */
export type Shown = { as: "number"; zeros?: number } | { as: "date" | "time" };

// Of the formats that a file need not write down, those of moments. 27 to 36 and 50 to 58 are dates of East Asian versions.
const DATES = [
  14, 15, 16, 17, 22, 27, 28, 29, 30, 31, 34, 35, 36, 50, 51, 52, 53, 54, 55, 56, 57, 58,
];
const TIMES = [18, 19, 20, 21, 32, 33, 45, 47];

/** What a number format makes of a number. `code` is undefined for a built-in format. */
export function shownBy(id: number, code: string | undefined): Shown {
  if (code === undefined)
    return { as: DATES.includes(id) ? "date" : TIMES.includes(id) ? "time" : "number" };
  const first = (code.split(";")[0] ?? "")
    // [h] counts hours past a day, which is a quantity and no time.
    .replace(/\[(?:h+|m+|s+)\]/gi, "#")
    .replace(/"[^"]*"|\\.|[_*].|\[[^\]]*\]/g, "")
    .toLowerCase()
    .replace(/s\.0+/g, "s");
  if (/^0{2,}$/.test(first)) return { as: "number", zeros: first.length };
  // A place for a digit is in no format of a moment: RM#,##0.00 is money, whatever its M means elsewhere.
  if (/[#0?]/.test(first)) return { as: "number" };
  if (/[yd]/.test(first)) return { as: "date" };
  if (/[hs]/.test(first)) return { as: "time" };
  return { as: first.includes("m") ? "date" : "number" };
}

/** A stored number as people write it: no exponent, and no more than the 15 digits that spreadsheets calculate with. */
export function numberText(stored: string): string {
  const trimmed = stored.trim();
  if (/^-?\d{1,40}$/.test(trimmed)) return trimmed;
  const value = Number(trimmed);
  if (trimmed === "" || !Number.isFinite(value)) throw damaged();
  const [mantissa = "", exponent = "0"] = Math.abs(value).toExponential(14).split("e");
  const digits = mantissa.replace(".", "").replace(/0+$/, "");
  const point = Number(exponent) + 1;
  if (digits === "") return "0";
  const whole = point > 0 ? digits.slice(0, point).padEnd(point, "0") : "0";
  const fraction = point > 0 ? digits.slice(point) : "0".repeat(-point) + digits;
  return `${value < 0 ? "-" : ""}${whole}${fraction && `.${fraction}`}`;
}

const DAY_SECONDS = 86_400;
// The last day that spreadsheets know, 9999-12-31.
const LAST_SERIAL = 2_958_465;

/** A number as its style shows it: moments in ISO 8601 without a zone, a day alone without a time. */
export function shownText(stored: string, shown: Shown, from1904: boolean): string {
  const text = numberText(stored);
  if (shown.as === "number")
    return shown.zeros && /^\d+$/.test(text) ? text.padStart(shown.zeros, "0") : text;
  // A serial is a count of days; a second is the smallest step that formats of dates keep apart in practice.
  const seconds = Math.round(Number(text) * DAY_SECONDS);
  const days = Math.floor(seconds / DAY_SECONDS);
  if (days < 0 || days > LAST_SERIAL) return text;
  const clock = new Date((seconds - days * DAY_SECONDS) * 1_000).toISOString().slice(11, 19);
  if (days === 0 && (shown.as === "time" || !from1904)) return clock;
  const day = dayOf(days, from1904);
  return clock === "00:00:00" ? day : `${day}T${clock}`;
}

function dayOf(days: number, from1904: boolean): string {
  // The calendar of 1900 has a 29 February that never was, as day 60.
  if (!from1904 && days === 60) return "1900-02-29";
  const start = from1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, days < 60 ? 31 : 30);
  return new Date(start + days * DAY_SECONDS * 1_000).toISOString().slice(0, 10);
}

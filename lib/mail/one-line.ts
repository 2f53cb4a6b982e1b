// Control characters, and the marks that turn text around.
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g;

/** For headers and other single lines: no line break or control character survives, and no more than `limit` characters. */
export function oneLine(text: string, limit = 300): string {
  const clean = [...text.replace(UNPRINTABLE, " ").replace(/ {2,}/g, " ").trim()];
  return clean.length <= limit ? clean.join("") : `${clean.slice(0, limit - 1).join("")}…`;
}

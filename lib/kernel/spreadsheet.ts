// Blanks and quotes before a formula do not protect, because some programs drop them.
const begins = String.raw`(?=[\s"]*[=+\-@\uff1d\uff0b\uff0d\uff20])`;
const atStart = new RegExp(`^(?:${begins}|(?=[\\t\\r]))`);
/** A cell also begins after these where a spreadsheet splits at semicolons or tabs and so does not know our quotes. */
const afterSplit = new RegExp(`[;\\t\\r\\n]${begins}`, "g");

/** A text that no spreadsheet calculates, whatever separator it splits at: an apostrophe goes before each formula that could begin a cell. */
export const harmlessCell = (text: string): string =>
  text.replace(afterSplit, "$&'").replace(atStart, "'");

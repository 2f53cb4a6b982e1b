// Blanks and quotes before a formula do not protect, because some programs drop them.
const begins = String.raw`(?=[\s"]*[=+\-@\uff1d\uff0b\uff0d\uff20])`;
const atStart = new RegExp(`^(?:${begins}|(?=[\\t\\r]))`);
/** A cell also begins after these where a spreadsheet splits at semicolons or tabs and so does not know our quotes. */
const afterSplit = new RegExp(`[;\\t\\r\\n]${begins}`, "g");

/** Most texts are such, and begin no formula anywhere. */
const plain = /^[0-9A-Za-z][^;\t\r\n]*$/;

/** A text that no spreadsheet calculates, whatever separator it splits at: an apostrophe goes before each formula that could begin a cell. */
export const harmlessCell = (text: string): string =>
  plain.test(text) ? text : text.replace(afterSplit, "$&'").replace(atStart, "'");

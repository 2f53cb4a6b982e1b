const FORMULA = String.raw`[=+\-@\uff1d\uff0b\uff0d\uff20]`;
const formula = new RegExp(FORMULA);
// Blanks and quotes before a formula do not protect, because some programs drop them.
const atStart = new RegExp(`^(?:(?=[\\s"]*${FORMULA})|(?=[\\t\\r]))`);
/** Where a spreadsheet splits at semicolons or tabs, and so does not know our quotes, a cell begins within such a run too. */
const runs = /[\s";]+/g;

/** Most texts are such, and begin no formula anywhere. */
const plain = /^[0-9A-Za-z][^;\t\r\n]*$/;

/** A run with an apostrophe after each separator that has only blanks and quotes behind it. */
function quoted(run: string): string {
  const last = Math.max(0, run.lastIndexOf(";"));
  return run.slice(0, last) + run.slice(last).replace(/[;\t\r\n]/g, "$&'");
}

/**
 * A text that no spreadsheet calculates, whatever separator it splits at: an apostrophe goes before each formula that could begin a cell.
 * Each run of separators is visited once: looking ahead from each separator would take seconds for thousands of line breaks.
 */
export const harmlessCell = (text: string): string =>
  plain.test(text)
    ? text
    : text
        .replace(runs, (run, at: number) =>
          formula.test(text.charAt(at + run.length)) ? quoted(run) : run,
        )
        .replace(atStart, "'");

const apostrophes = /(^|[;\t\r\n])'/g;

/**
 * The text of a cell without the apostrophes that `harmlessCell` writes; others stay. One that a person wrote before a formula is taken
 * for one of these, as spreadsheet programs do.
 */
export function cellText(cell: string): string {
  const text = cell.replace(apostrophes, "$1");
  return harmlessCell(text) === cell ? text : cell;
}

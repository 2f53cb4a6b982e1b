import { harmlessCell } from "@/lib/kernel/spreadsheet";

/** The cells of a CSV text, line by line; blank lines are left out. Commas, or semicolons or tabs where the first line has more of those. */
export function readCsv(text: string): string[][] {
  const source = text.replace(/^\uFEFF/, "");
  const head = source.slice(0, source.search(/[\r\n]|$/));
  const count = (sign: string) => head.split(sign).length;
  const separator = [";", "\t"].reduce(
    (best, sign) => (count(sign) > count(best) ? sign : best),
    ",",
  );
  const lines: string[][] = [];
  let cells: string[] = [];
  let cell = "";
  let quoted = false;
  const endCell = () => {
    cells.push(cell.trim());
    cell = "";
  };
  const endLine = () => {
    endCell();
    if (cells.some((one) => one !== "")) lines.push(cells);
    cells = [];
  };
  for (let at = 0; at < source.length; at += 1) {
    const sign = source[at] ?? "";
    if (quoted) {
      if (sign !== '"') cell += sign;
      else if (source[at + 1] === '"') {
        cell += '"';
        at += 1;
      } else quoted = false;
    } else if (sign === '"' && cell.trim() === "") {
      cell = "";
      quoted = true;
    } else if (sign === separator) endCell();
    else if (sign === "\n") endLine();
    else if (sign !== "\r") cell += sign;
  }
  endLine();
  return lines;
}

/** CSV of lines of cells. No text can become a formula in a spreadsheet. */
export function writeCsv(
  lines: readonly (readonly (string | number | null | undefined)[])[],
): string {
  const written = (value: string | number | null | undefined) => {
    const text = typeof value === "string" ? harmlessCell(value) : String(value ?? "");
    return /[",;\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return `${lines.map((cells) => cells.map(written).join(",")).join("\r\n")}\r\n`;
}

/** Gives the person a file made in the browser. */
export function offerFile(name: string, text: string, type = "text/csv"): void {
  const address = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

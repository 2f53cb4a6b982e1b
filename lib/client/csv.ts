import { harmlessCell } from "@/lib/kernel/spreadsheet";

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

/** Gives the person a file made in the browser. Without a byte order mark Excel on Windows reads the UTF-8 of a CSV as another encoding. */
export function offerFile(name: string, text: string, type = "text/csv"): void {
  const parts = type === "text/csv" ? ["\uFEFF", text] : [text];
  const address = URL.createObjectURL(new Blob(parts, { type: `${type};charset=utf-8` }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** A CSV file to choose, of these lines. */
export const csv = (lines: string[]) => ({
  name: "invoices.csv",
  mimeType: "text/csv",
  buffer: Buffer.from(lines.join("\r\n")),
});

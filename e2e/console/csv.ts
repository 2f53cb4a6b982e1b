import type { Page } from "@playwright/test";
import { arrive } from "./screen";

/** A CSV file to choose, of these lines. */
export const csv = (lines: string[]) => ({
  name: "invoices.csv",
  mimeType: "text/csv",
  buffer: Buffer.from(lines.join("\r\n")),
});

/** Opens the import and chooses a CSV file of these lines. */
export async function chooseCsv(
  page: Page,
  at: (path?: string) => string,
  lines: string[],
): Promise<void> {
  await arrive(page, at("/payment-links/import"), "Import payment links");
  await page.getByLabel("Spreadsheet").setInputFiles(csv(lines));
}

import { readSpreadsheet } from "@/lib/contract/spreadsheets";
import { defineRoute } from "@/lib/http/define-route";
import { readSpreadsheetBody } from "@/lib/http/read-spreadsheet";

export const POST = defineRoute(
  readSpreadsheet,
  async ({ body }) => body,
  undefined,
  readSpreadsheetBody,
);

import { readSheet } from "@/lib/compute/sheet/read-sheet";
import { check } from "@/lib/contract/messages";
import { SpreadsheetInput } from "@/lib/contract/spreadsheets";
import { sheetLimits } from "@/lib/contract/values";
import { parseObject } from "./body";
import { inThread } from "./checked-body";

/** Parses the body of a call with a spreadsheet and reads it: all of the work runs in a compute thread. */
export const checkSpreadsheet = (text: string) =>
  inThread(async () => {
    const body = check(SpreadsheetInput, parseObject(text));
    if (!body.ok) return body;
    const bytes = Buffer.from(body.data.file, "base64");
    if (bytes.length > sheetLimits.bytes)
      return {
        ok: false,
        errors: {
          file: [`The file must not be greater than ${sheetLimits.bytes / 1024} kilobytes.`],
        },
      };
    const read = await readSheet(bytes, body.data.sheet);
    return "refused" in read
      ? { ok: false, errors: { [read.field]: [read.refused] } }
      : { ok: true, data: read };
  });

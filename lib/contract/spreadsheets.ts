import * as z from "zod";
import { endpoint } from "./endpoint";
import { SheetName } from "./fields";
import { sheetLimits } from "./values";

/** A whole workbook, so that the example can be sent: one sheet, November, with two rows. */
const example =
  "UEsDBBQAAAAIAAAAIVxgOipRxQAAAKEBAAATAAAAW0NvbnRlbnRfVHlwZXNdLnhtbK2Ru47CQAxFfyWadsUYbbHFKkkDtEDBD1gTh4yYl8bm9fdMAjQUSEhUftzrewrXu2siri7eBW7UIJL+AdgM5JF1TBSK0sfsUcqY95DQHHBP8Duf/4GJQSjITMYM1dZL6vHopFpdypptDI3K5FhVi7txZDUKU3LWoBQdTqF7ocweBF0uJw8PNvFPMSho682JcrYdVVvMskZf4uCsR/EjRux7a6iL5ujLieaUCTseiMQ7PVXt0YZ3VP4y9RzzYeqfUJg+094AUEsDBBQAAAAIAAAAIVx1jSDZfgAAAOMAAAALAAAAX3JlbHMvLnJlbHONzz0KAjEQBeCrhDnAzmJhIZtUNrbiBYY4+cHND8mIentTumJh+XiPD95y5pUkltxDrF0905q7hiBSD4jdBk7Up1I5j8aVlkhGbB4r2Rt5xt0877F9GmA2pjpdNRCoy6vyP3BxLlo+FntPnOWH/7UYMjXPouExDQrQLLj5ZN5QSwMEFAAAAAgAAAAhXCO/hr+RAAAA4wAAAAUAAAB3LnhtbI2POxKDMAxEr+LRAaIkRQoGqNKkyR0MiNgDsjyS8zl+GAh9Kn129u1s/RadOpHJfXhO1kAoJVeI1gdibwfJlBZlFGVfllMfaFnJDxaICs94Ph4vyD4m2AiV/sOQcYw9XaV/MqWyQZRmX6IkCzEbtPWaYL/pkmdq4C4v4o4U3Pq9DQ2cwGkVl8UDtjXuLtyLtV9QSwMEFAAAAAgAAAAhXBNrwzGCAAAA3gAAABAAAABfcmVscy93LnhtbC5yZWxzjc+7CgIxEIXhVwl5gJ3FwkI2qWxsxRcY4uTCbi5kRtS3N6ULFpaHAx/8y5U2lFQLx9RYvfJW2Ogo0k4A7CJl5Kk2KuPxtWeUMXuAhm7FQHCY5yP0b0Pbnakud6NRq9u70T9w9T45Olf3yFTkhw/P2leORDJQ7IHEaJ6GosEusMuxH1BLAwQUAAAACAAAACFcQBST06IAAAAjAQAABQAAAHMueG1sfZBNCsJADIWvIt3b1EJdSBoU9ASeINTRDs4fM7Ht8R27kCroMi9f3gsPRx/vqVdKVpM1LrVFLxJ2AKnrleVU+qBc3lx9tCx5jDdIISq+zEfWQF1VW7CsXUE4a0cWJox+JOxW0hbaGe3UWWIGdCIUOq0zbxCEEF4KdD/Rg/UPJ58ozN7/AtjxXk1sg1Fl5+1XEuFAm7opG4Rh6QiL9+HdCz0BUEsBAhQAFAAAAAgAAAAhXGA6KlHFAAAAoQEAABMAAAAAAAAAAAAAAAAAAAAAAFtDb250ZW50X1R5cGVzXS54bWxQSwECFAAUAAAACAAAACFcdY0g2X4AAADjAAAACwAAAAAAAAAAAAAAAAD2AAAAX3JlbHMvLnJlbHNQSwECFAAUAAAACAAAACFcI7+Gv5EAAADjAAAABQAAAAAAAAAAAAAAAACdAQAAdy54bWxQSwECFAAUAAAACAAAACFcE2vDMYIAAADeAAAAEAAAAAAAAAAAAAAAAABRAgAAX3JlbHMvdy54bWwucmVsc1BLAQIUABQAAAAIAAAAIVxAFJPTogAAACMBAAAFAAAAAAAAAAAAAAAAAAEDAABzLnhtbFBLBQYAAAAABQAFAB4BAADGAwAAAAA=";

export const SpreadsheetInput = z
  .object({
    file: z.base64().min(1).meta({ description: "The .xlsx file in base64, at most 4 MiB." }),
    sheet: SheetName.optional().describe(
      "Which sheet. Default: the first visible one that has several rows.",
    ),
  })
  .meta({ id: "SpreadsheetInput", examples: [{ file: example }] });

export const SpreadsheetRows = z
  .object({
    sheet: z.string().meta({ description: "The sheet that was read." }),
    sheets: z.array(z.string()).meta({ description: "All visible sheets, in their order." }),
    rows: z.array(z.array(z.string())).meta({
      description:
        "Its rows as texts, all equally wide. Rows without any text are left out. Numbers have a point and no exponent. A day is `2026-11-23`, a moment `2026-11-23T14:30:00`, without a zone.",
    }),
    row_numbers: z.array(z.int()).meta({
      description: "The number that each of these rows has in the sheet, counted from 1.",
    }),
    hidden_rows: z
      .int()
      .meta({ description: "How many rows with text were left out because they are hidden." }),
    merged_cells: z
      .array(
        z.object({
          first_row: z.int(),
          last_row: z.int(),
          first_column: z.int(),
          last_column: z.int(),
        }),
      )
      .meta({
        description:
          "Cells with a text that are merged over several rows. Rows have the sheet's numbers, columns are counted from 1. The text is in the first cell alone, so the rows below it lack the text.",
      }),
  })
  .meta({
    id: "SpreadsheetRows",
    examples: [
      {
        sheet: "November",
        sheets: ["November"],
        rows: [
          ["E-mail", "Amount"],
          ["ana@example.com", "125.5"],
        ],
        row_numbers: [1, 2],
        hidden_rows: 0,
        merged_cells: [],
      },
    ],
  });

export type SpreadsheetRows = z.output<typeof SpreadsheetRows>;

export const readSpreadsheet = endpoint({
  id: "readSpreadsheet",
  method: "POST",
  path: "/payment-links/bulk/rows",
  tag: "Payment links",
  cost: 5,
  maxBytes: 6 * 1024 * 1024,
  summary: "Read the rows of a spreadsheet",
  body: SpreadsheetInput,
  response: SpreadsheetRows,
  description: `Returns what an .xlsx file shows, for a bulk call or for anything else; nothing is created, and the request log keeps neither the file nor the rows. At most ${sheetLimits.rows.toLocaleString("en-GB")} rows and ${sheetLimits.columns} columns. A merged cell's text is in its first cell, and \`merged_cells\` names merges over several rows. A formula's text is the result that the spreadsheet program calculated last. The apostrophes that Kutip's exports write before formulas are taken away.`,
});

import { crc32, deflateRawSync, constants } from "node:zlib";
import fc from "fast-check";
import { strToU8, zipSync } from "fflate";
import { expect, test } from "vitest";
import writeExcelFile from "write-excel-file/node";
import { cellText } from "@/lib/kernel/spreadsheet";
import { sheetOf, workbook, workbookParts } from "@/tests/spreadsheets";
import { readSheet } from "./read-sheet";

async function rowsOf(bytes: Uint8Array, sheet?: string): Promise<string[][]> {
  const read = await readSheet(bytes, sheet);
  if ("refused" in read) throw new Error(read.refused);
  return read.rows;
}
const one = (cells: string, book: Partial<Parameters<typeof workbook>[0]> = {}) =>
  workbook({ sheets: { Sheet1: `<row r="1">${cells}</row>` }, ...book });

test("what an independent writer wrote is read as it was: texts, numbers, days, yes and no", async () => {
  const cell = fc.oneof(
    fc
      .string({ unit: "grapheme", maxLength: 40 })
      // The writer leaves this one character out.
      .map((text) => cellText(text.replaceAll("\ufffd", "").trim()))
      // The writer looks its texts up in a plain object, and writes no index for "valueOf".
      .filter((text) => !(text in {})),
    fc.stringMatching(/^0\d{0,12}$/),
    fc.integer({ min: -999_999_999_999, max: 999_999_999_999 }),
    fc.integer({ min: 0, max: 99_999_999 }).map((minor) => minor / 100),
    fc.boolean(),
    fc.constant(null),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(cell, { minLength: 3, maxLength: 3 }), { minLength: 1, maxLength: 8 }),
      async (rows) => {
        const kept = rows.filter((row) => row.some((value) => value !== null && value !== ""));
        fc.pre(kept.length > 0);
        const file = await writeExcelFile(
          rows.map((row) => row.map((value) => (value === "" ? null : value))),
        ).toBuffer();
        const width = Math.max(
          ...kept.map((row) => row.findLastIndex((value) => value !== null && value !== "") + 1),
        );
        expect(await rowsOf(file)).toEqual(
          kept.map((row) =>
            row.slice(0, width).map((value) => (value === null ? "" : String(value))),
          ),
        );
      },
    ),
    { numRuns: 60 },
  );
});

test("a day that an independent writer stored as a number is that day", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.date({ min: new Date("1900-03-01"), max: new Date("2100-01-01"), noInvalidDate: true }),
      async (moment) => {
        moment.setUTCMilliseconds(0);
        const file = await writeExcelFile([
          [{ value: moment, type: Date, format: "dd/mm/yyyy hh:mm:ss" }],
        ]).toBuffer();
        const iso = moment.toISOString().slice(0, 19);
        expect(await rowsOf(file)).toEqual([[iso.replace("T00:00:00", "")]]);
      },
    ),
    { numRuns: 40 },
  );
});

test("shared and inline texts, runs of several styles, reading aids and escapes become plain text", async () => {
  const file = workbook({
    shared: [
      "<t>E-mail</t>",
      '<r><t xml:space="preserve">Invoice </t></r><r><rPr><b/></rPr><t>1042</t></r>',
      "<t>課税</t><rPh sb='0' eb='2'><t>カゼイ</t></rPh>",
      "<t>two_x000D_\nlines_x005F_x</t>",
    ],
    sheets: {
      Sheet1:
        '<row><c t="s"><v>0</v></c><c t="s"><v>1</v></c><c t="s"><v>2</v></c><c t="s"><v>3</v></c><c t="inlineStr"><is><t>a &amp; b</t></is></c></row>',
    },
  });
  expect(await rowsOf(file)).toEqual([
    ["E-mail", "Invoice 1042", "課税", "two\r\nlines_x", "a & b"],
  ]);
});

test("the apostrophe that our exports write before a formula is no part of the text", async () => {
  const file = sheetOf([["'-A1", "'+60 12-345 6789", "'A1"]]);
  expect(await rowsOf(file)).toEqual([["-A1", "+60 12-345 6789", "'A1"]]);
});

test.each([
  ["1250.5", "1250.5"],
  ["0.30000000000000004", "0.3"],
  ["19.990000000000002", "19.99"],
  ["6.0123456789E10", "60123456789"],
  ["60123456789", "60123456789"],
  ["1E-7", "0.0000001"],
  ["-0.5", "-0.5"],
  ["1.5E3", "1500"],
  ["0", "0"],
])("the number %s is read as %s", async (stored, text) => {
  expect(await rowsOf(one(`<c r="A1"><v>${stored}</v></c>`))).toEqual([[text]]);
});

test("numbers are read by their style", async () => {
  const formats = [
    14,
    22,
    "dd\\.mm\\.yyyy",
    "[$-407]d. mmmm yyyy;@",
    "hh:mm",
    "00000",
    '#,##0.00\\ "RM"',
    "RM#,##0.00",
    "[Red]0.00",
    "[h]:mm",
    "0.00E+00",
  ];
  const values = [46349, 46349.604166666664, 46349, 46349, 0.25, 123, 1250.5, 12.5, 3, 1.5, 20];
  const cells = values.map((value, at) => `<c s="${at + 1}"><v>${value}</v></c>`).join("");
  expect(await rowsOf(one(cells, { formats }))).toEqual([
    ["2026-11-23", "2026-11-23T14:30:00", "2026-11-23", "2026-11-23", "06:00:00", "00123"].concat([
      "1250.5",
      "12.5",
      "3",
      "1.5",
      "20",
    ]),
  ]);
});

test("days are counted from 1900 with its day that never was, or from 1904", async () => {
  const cells = [1, 59, 60, 61].map((day) => `<c s="1"><v>${day}</v></c>`).join("");
  expect(await rowsOf(one(cells, { formats: [14] }))).toEqual([
    ["1900-01-01", "1900-02-28", "1900-02-29", "1900-03-01"],
  ]);
  expect(await rowsOf(one('<c s="1"><v>44887</v></c>', { formats: [14], from1904: true }))).toEqual(
    [["2026-11-23"]],
  );
});

test("a cell stands where its address says, blank rows are left out, and a merged text is in its first cell", async () => {
  const file = workbook({
    sheets: {
      Sheet1:
        '<row r="1"><c r="A1" t="b"><v>1</v></c><c r="D1"><v>4</v></c></row><row r="2"><c r="A2" s="0"/></row><row r="9"><c r="B9" t="str"><f>A1&amp;""</f><v>sum</v></c><c r="C9" t="e"><v>#N/A</v></c></row>',
    },
  });
  expect(await rowsOf(file)).toEqual([
    ["true", "", "", "4"],
    ["", "sum", "#N/A", ""],
  ]);
  expect(await readSheet(file)).toMatchObject({ row_numbers: [1, 9] });
});

test("a merge over several rows is named where its first cell has a text, also in a hidden row", async () => {
  const cell = (name: string, text: string) =>
    `<c r="${name}" t="inlineStr"><is><t>${text}</t></is></c>`;
  const rows = `<row r="1">${cell("A1", "a")}${cell("B1", "b")}</row><row r="2" hidden="1">${cell("B2", "false")}</row><row r="3">${cell("A3", "x")}</row><row r="4">${cell("A4", "y")}</row>`;
  const merges = ["B2:C4", "$A$3:$A$4", "C1:C3", "A1:B1", "A4"];
  const sheet = (refs: string[]) =>
    withPart(
      sheetXml,
      `<worksheet><sheetData>${rows}</sheetData><mergeCells>${refs.map((ref) => `<mergeCell ref="${ref}"/>`).join("")}</mergeCells></worksheet>`,
    );
  expect(await readSheet(sheet(merges))).toMatchObject({
    row_numbers: [1, 3, 4],
    merged_cells: [
      { first_row: 2, last_row: 4, first_column: 2, last_column: 3 },
      { first_row: 3, last_row: 4, first_column: 1, last_column: 1 },
    ],
  });
  for (const [refs, sentence] of [
    [["B2:"], damaged],
    [Array<string>(20_001).fill("B2:B4"), tooMuch],
  ] as const) {
    const read = await readSheet(sheet([...refs]));
    expect("refused" in read ? read.refused : read).toMatch(sentence);
  }
});

test("the first visible sheet with several rows is read, another one when it is named, hidden rows not", async () => {
  const row = (text: string, hidden = "") =>
    `<row${hidden}><c t="inlineStr"><is><t>${text}</t></is></c></row>`;
  const file = workbook({
    sheets: {
      Secret: row("secret"),
      Empty: "",
      Note: row("one line"),
      November: row("shown") + row("filtered out", ' hidden="1"') + row("also shown"),
      October: row("older"),
    },
    states: { Secret: "hidden" },
  });
  expect(await readSheet(file)).toEqual({
    sheet: "November",
    sheets: ["Empty", "Note", "November", "October"],
    rows: [["shown"], ["also shown"]],
    row_numbers: [1, 3],
    hidden_rows: 1,
    merged_cells: [],
  });
  expect(await readSheet(file, "October")).toMatchObject({ sheet: "October", rows: [["older"]] });
  expect(
    await readSheet(workbook({ sheets: { Empty: "", A: row("a"), B: row("b") } })),
  ).toMatchObject({
    sheet: "A",
  });
  expect(await readSheet(file, "Empty")).toMatchObject({ sheet: "Empty", rows: [] });
  for (const name of ["Secret", "No such sheet"])
    expect(await readSheet(file, name)).toEqual({
      refused: "The selected sheet is invalid.",
      field: "sheet",
    });
});

/** A ZIP archive with one entry that unpacks to as many MiB as wanted and says that it has `claims` bytes. */
function bomb(name: string, mebibytes: number, claims?: number): Buffer {
  const block = deflateRawSync(Buffer.alloc(1024 * 1024, 32), {
    finishFlush: constants.Z_FULL_FLUSH,
  });
  const end = deflateRawSync(Buffer.alloc(0));
  const data = Buffer.concat([...Array<Buffer>(mebibytes).fill(block), end]);
  const size = claims ?? Math.min(mebibytes * 1024 * 1024, 0xfffffffe);
  const header = (signature: number, central: boolean) => {
    const bytes = Buffer.alloc(central ? 46 : 30);
    const at = central ? 6 : 4;
    bytes.writeUInt32LE(signature, 0);
    bytes.writeUInt16LE(20, at);
    bytes.writeUInt16LE(8, at + 4);
    bytes.writeUInt32LE(crc32(""), at + 10);
    bytes.writeUInt32LE(data.length, at + 14);
    bytes.writeUInt32LE(size, at + 18);
    bytes.writeUInt16LE(name.length, at + 22);
    return Buffer.concat([bytes, Buffer.from(name)]);
  };
  const local = header(0x04034b50, false);
  const central = header(0x02014b50, true);
  const last = Buffer.alloc(22);
  last.writeUInt32LE(0x06054b50, 0);
  last.writeUInt16LE(1, 8);
  last.writeUInt16LE(1, 10);
  last.writeUInt32LE(central.length, 12);
  last.writeUInt32LE(local.length + data.length, 16);
  return Buffer.concat([local, data, central, last]);
}

const row = '<row><c t="inlineStr"><is><t>x</t></is></c></row>';
const withPart = (name: string, text: string) =>
  workbook({ sheets: { Sheet1: row }, parts: { [name]: strToU8(text) } });
const sheetXml = "xl/worksheets/sheet1.xml";
const good = sheetOf([["email"], ["ana@example.com"]]);
const damaged = /damaged/;
const tooMuch = /holds too much/;
const laughs = `<!DOCTYPE lolz [<!ENTITY a "lol">${"bcdefghij"
  .split("")
  .map((letter, at) => `<!ENTITY ${letter} "${`&${"abcdefghi"[at]};`.repeat(10)}">`)
  .join("")}]><worksheet><sheetData>&j;</sheetData></worksheet>`;
const ole = (text: string) =>
  Buffer.concat([Buffer.from("d0cf11e0a1b11ae1", "hex"), Buffer.from(text, "utf16le")]);

test.each<[string, () => Uint8Array, RegExp]>([
  ["a ZIP bomb of 10 GiB", () => bomb("_rels/.rels", 10_240), tooMuch],
  ["a bomb that claims to be small", () => bomb("_rels/.rels", 10_240, 100), damaged],
  ["a sheet of 70 MiB", () => workbook({ sheets: { A: " ".repeat(70 << 20) } }), tooMuch],
  [
    "65,000 entries",
    () =>
      zipSync(
        Object.fromEntries(Array.from({ length: 65_000 }, (_, at) => [`${at}`, new Uint8Array()])),
        { level: 0 },
      ),
    tooMuch,
  ],
  ["billion laughs", () => withPart(sheetXml, laughs), damaged],
  [
    "an external entity",
    () =>
      withPart(
        sheetXml,
        '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><worksheet><sheetData><row><c t="str"><v>&e;</v></c></row></sheetData></worksheet>',
      ),
    damaged,
  ],
  ["an entity that nothing declares", () => one('<c t="str"><v>&e;</v></c>'), damaged],
  ["XML nested deep", () => withPart(sheetXml, "<a>".repeat(100_000)), tooMuch],
  [
    "an element of many attributes",
    () =>
      withPart(sheetXml, `<a ${Array.from({ length: 5_000 }, (_, at) => `a${at}=""`).join(" ")}/>`),
    tooMuch,
  ],
  ["XML that ends early", () => withPart(sheetXml, "<worksheet><sheetData>"), damaged],
  ["bytes that are no text", () => withPart(sheetXml, "<a>").fill(0xff, 60, 90), damaged],
  ["a truncated file", () => good.subarray(0, good.length - 30), damaged],
  ["a page", () => Buffer.from("<!doctype html>"), damaged],
  ["nothing", () => Buffer.alloc(0), damaged],
  ["a name that climbs", () => zipSync({ "../../etc/passwd": strToU8("x") }), damaged],
  ["two parts of one name", () => zipSync({ A: strToU8("x"), a: strToU8("y") }), damaged],
  ["another document", () => zipSync({ "word/document.xml": strToU8("<x/>") }), damaged],
  [
    "an OpenDocument sheet",
    () => zipSync({ mimetype: strToU8("x"), "content.xml": strToU8("<x/>") }),
    /spreadsheet of another kind/,
  ],
  ["an .xls named .xlsx", () => ole("Workbook"), /old spreadsheet \(\.xls\)/],
  ["an encrypted .xlsx", () => ole("EncryptedPackage"), /protected with a password/],
  [
    "too many rows",
    () => workbook({ sheets: { A: row.repeat(5_011) } }),
    /“A” has more than 5,010 rows/,
  ],
  ["too many columns", () => one('<c r="CW1"><v>1</v></c>'), /more than 100 columns/],
  ["a column that does not exist", () => one('<c r="ZZZZ1"><v>1</v></c>'), damaged],
  ["a long text in many cells", () => repeated("y".repeat(30_000), 200), tooMuch],
  ["a cell that holds too much", () => repeated("y".repeat(40_000), 1), tooMuch],
  ["a text that is not there", () => one('<c t="s"><v>7</v></c>'), damaged],
  ["a number that is none", () => one("<c><v>12,50</v></c>"), damaged],
  [
    "a formula that was never calculated",
    () => one('<c r="B7"><f>SUM(A1:A6)</f><v></v></c>'),
    /cell B7 has a formula without a result/,
  ],
  ["no rows at all", () => workbook({ sheets: { A: "" } }), /no visible sheet with rows/],
  [
    "a sheet that is not in the archive",
    () => {
      const { [sheetXml]: _, ...parts } = workbookParts({ sheets: { A: row } });
      return zipSync(parts);
    },
    damaged,
  ],
])("%s is refused in a sentence", { timeout: 30_000 }, async (_, file, sentence) => {
  const read = await readSheet(file());
  expect("refused" in read ? read.refused : read).toMatch(sentence);
});

const repeated = (text: string, times: number) =>
  workbook({
    shared: [`<t>${text}</t>`],
    sheets: { A: '<row><c t="s"><v>0</v></c></row>'.repeat(times) },
  });

test("no byte that is changed, and no cut, ends in anything but rows or a sentence", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.nat({ max: good.length - 1 }), fc.integer({ min: 0, max: 255 })), {
        maxLength: 6,
      }),
      fc.nat({ max: good.length }),
      async (changes, length) => {
        const bytes = Buffer.from(good);
        for (const [at, value] of changes) bytes[at] = value;
        const read = await readSheet(changes.length > 0 ? bytes : bytes.subarray(0, length));
        expect(read).toSatisfy((one: object) => "refused" in one || "rows" in one);
      },
    ),
    { numRuns: 300 },
  );
});

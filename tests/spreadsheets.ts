import { strToU8, zipSync, type Zippable } from "fflate";

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

type Book = {
  /** The inside of `sheetData` of each sheet, by name. */
  sheets: Record<string, string>;
  /** Of sheets that are not visible: `hidden` or `veryHidden`. */
  states?: Record<string, string>;
  shared?: string[];
  /** Number formats of the styles 1, 2 and so on: an id of a built-in one, or a code. */
  formats?: (number | string)[];
  from1904?: boolean;
  /** Parts that replace or join the others. */
  parts?: Zippable;
};

/** The parts of a workbook, written by hand as the standard has them. */
export function workbookParts({
  sheets,
  states = {},
  shared = [],
  formats = [],
  from1904 = false,
  parts = {},
}: Book): Zippable {
  const names = Object.keys(sheets);
  const codes = formats.flatMap((format, at) =>
    typeof format === "string" ? [{ id: 164 + at, code: format }] : [],
  );
  const style = (format: number | string, at: number) =>
    `<xf numFmtId="${typeof format === "string" ? 164 + at : format}"/>`;
  const texts: Record<string, string> = {
    "_rels/.rels": `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    "xl/workbook.xml": `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><workbookPr${from1904 ? ' date1904="1"' : ""}/><sheets>${names
      .map(
        (name, at) =>
          `<sheet name="${name}" sheetId="${at + 1}" r:id="rId${at + 1}"${states[name] ? ` state="${states[name]}"` : ""}/>`,
      )
      .join("")}</sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${names
      .map(
        (_, at) =>
          `<Relationship Id="rId${at + 1}" Type="${OFFICE}/worksheet" Target="worksheets/sheet${at + 1}.xml"/>`,
      )
      .join(
        "",
      )}<Relationship Id="rIdS" Type="${OFFICE}/sharedStrings" Target="/xl/sharedStrings.xml"/><Relationship Id="rIdT" Type="${OFFICE}/styles" Target="styles.xml"/></Relationships>`,
    "xl/sharedStrings.xml": `<sst xmlns="${MAIN}">${shared.map((inner) => `<si>${inner}</si>`).join("")}</sst>`,
    "xl/styles.xml": `<styleSheet xmlns="${MAIN}"><numFmts>${codes
      .map(({ id, code }) => `<numFmt numFmtId="${id}" formatCode="${escaped(code)}"/>`)
      .join(
        "",
      )}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/>${formats
      .map(style)
      .join("")}</cellXfs></styleSheet>`,
  };
  for (const [at, name] of names.entries())
    texts[`xl/worksheets/sheet${at + 1}.xml`] =
      `<worksheet xmlns="${MAIN}"><sheetData>${sheets[name]}</sheetData></worksheet>`;
  return {
    ...Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, strToU8(XML + text)])),
    ...parts,
  };
}

const escaped = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");

/** A workbook as an .xlsx file. */
export const workbook = (book: Book): Buffer => Buffer.from(zipSync(workbookParts(book)));

/** An .xlsx file with one sheet of plain texts. */
export const sheetOf = (rows: readonly (readonly string[])[], name = "Sheet1"): Buffer =>
  workbook({
    sheets: {
      [name]: rows
        .map(
          (cells) =>
            `<row>${cells.map((text) => `<c t="inlineStr"><is><t>${escaped(text)}</t></is></c>`).join("")}</row>`,
        )
        .join(""),
    },
  });

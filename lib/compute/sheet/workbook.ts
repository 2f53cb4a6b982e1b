import type { Archive } from "./archive";
import { type Shown, shownBy } from "./numbers";
import { damaged, tooMuch, Unreadable } from "./unreadable";
import { visitXml } from "./xml";

const MAX_SHEETS = 200;
const MAX_STYLES = 70_000;
const MAX_SHARED = 400_000;
const MAX_SHARED_CHARACTERS = 16 * 1024 * 1024;

export type Sheet = { name: string; part: string };
export type Workbook = {
  /** Those that a person sees, in their order. */
  sheets: Sheet[];
  strings: string[];
  /** How each style shows numbers. */
  styles: Shown[];
  from1904: boolean;
};

/** Reads what the sheets of a workbook have in common. Throws Unreadable. */
export async function openWorkbook(archive: Archive): Promise<Workbook> {
  const part = (await relations(archive, "")).find(({ type }) => type === "officeDocument")?.target;
  if (part === undefined) throw notAWorkbook(archive);
  if (part.endsWith(".bin")) throw otherFormat();
  const related = await relations(archive, part);
  const { sheets, from1904 } = await readSheets(archive, part, related);
  const partOf = (type: string) => related.find((one) => one.type === type)?.target;
  return {
    sheets,
    from1904,
    strings: await readStrings(archive, partOf("sharedStrings")),
    styles: await readStyles(archive, partOf("styles")),
  };
}

const otherFormat = () =>
  new Unreadable("The file is a spreadsheet of another kind. Save it as .xlsx or as CSV.");
const notAWorkbook = ({ names }: Archive) =>
  names.includes("content.xml") || names.some((name) => name.startsWith("index/"))
    ? otherFormat()
    : damaged();

type Relation = { id: string; type: string; target: string };

/** What a part refers to inside the archive; targets outside are left out. `part` "" is the archive itself. */
async function relations(archive: Archive, part: string): Promise<Relation[]> {
  const at = part.lastIndexOf("/") + 1;
  const name = `${part.slice(0, at)}_rels/${part.slice(at)}.rels`;
  const found: Relation[] = [];
  if (!archive.has(name)) return found;
  await visitXml(archive, name, {
    open: (tag, { Id = "", Type = "", Target = "", TargetMode }) => {
      if (tag !== "Relationship" || TargetMode === "External") return;
      const type = Type.slice(Type.lastIndexOf("/") + 1);
      found.push({ id: Id, type, target: resolved(part.slice(0, at), Target) });
    },
  });
  return found;
}

/** The name of a part in the archive: "../styles.xml" from "xl/worksheets/" is "xl/styles.xml". */
function resolved(folder: string, target: string): string {
  const path: string[] = [];
  for (const step of (target.startsWith("/") ? target : folder + target).split("/")) {
    if (step === "..") path.pop();
    else if (step !== "." && step !== "") path.push(step);
  }
  return path.join("/");
}

async function readSheets(archive: Archive, part: string, related: Relation[]) {
  const sheets: Sheet[] = [];
  let from1904 = false;
  await visitXml(archive, part, {
    open: (tag, attributes) => {
      if (tag === "workbookPr") from1904 = isTrue(attributes.date1904);
      if (tag !== "sheet" || (attributes.state ?? "visible") !== "visible") return;
      const id = Object.entries(attributes).find(([name]) => name.endsWith(":id"))?.[1];
      const relation = related.find((one) => one.id === id);
      // A chart may be a sheet as well.
      if (relation?.type !== "worksheet") return;
      if (sheets.push({ name: attributes.name ?? "", part: relation.target }) > MAX_SHEETS)
        throw tooMuch();
    },
  });
  return { sheets, from1904 };
}

export const isTrue = (value: string | undefined) => value === "1" || value === "true";

async function readStrings(archive: Archive, part: string | undefined): Promise<string[]> {
  const strings: string[] = [];
  if (part === undefined || !archive.has(part)) return strings;
  const rich = richText();
  let characters = 0;
  await visitXml(archive, part, {
    open: (tag) => (tag === "si" ? rich.start() : rich.open(tag)),
    text: rich.text,
    close: (tag) => {
      rich.close(tag);
      if (tag !== "si") return;
      const text = rich.take();
      characters += text.length;
      if (strings.push(text) > MAX_SHARED || characters > MAX_SHARED_CHARACTERS) throw tooMuch();
    },
  });
  return strings;
}

/** Gathers the text of a cell from its runs, without the reading aids that East Asian files have beside it. */
export function richText() {
  let text = "";
  let inText = false;
  let inAid = false;
  return {
    start: () => {
      text = "";
      inText = inAid = false;
    },
    open: (tag: string) => {
      if (tag === "rPh") inAid = true;
      inText = tag === "t" && !inAid;
    },
    text: (part: string) => {
      if (inText) text += part;
    },
    close: (tag: string) => {
      if (tag === "rPh") inAid = false;
      if (tag === "t") inText = false;
    },
    take: () => unescaped(text),
  };
}

/** `_x000D_` is a character that XML cannot hold, `_x005F_` for an underscore before such an escape. */
const unescaped = (text: string) =>
  text.includes("_x")
    ? text.replace(/_x([0-9A-Fa-f]{4})_/g, (all, code: string) => {
        const character = String.fromCharCode(Number.parseInt(code, 16));
        return character !== "\0" && character.isWellFormed() ? character : all;
      })
    : text;

async function readStyles(archive: Archive, part: string | undefined): Promise<Shown[]> {
  const styles: Shown[] = [];
  if (part === undefined || !archive.has(part)) return styles;
  const codes = new Map<number, string>();
  const ids: number[] = [];
  let inCells = false;
  await visitXml(archive, part, {
    open: (tag, { numFmtId, formatCode }) => {
      if (tag === "cellXfs") inCells = true;
      if (tag === "numFmt") codes.set(Number(numFmtId), formatCode ?? "");
      if (tag === "xf" && inCells) ids.push(Number(numFmtId ?? 0));
      if (ids.length > MAX_STYLES || codes.size > MAX_STYLES) throw tooMuch();
    },
    close: (tag) => {
      if (tag === "cellXfs") inCells = false;
    },
  });
  return ids.map((id) => shownBy(id, codes.get(id)));
}

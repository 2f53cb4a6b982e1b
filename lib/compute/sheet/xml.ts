import { SaxesParser } from "saxes";
import type { Archive } from "./archive";
import { damaged, tooMuch } from "./unreadable";

const MAX_DEPTH = 64;
const MAX_ATTRIBUTES = 200;

export type Attributes = Readonly<Record<string, string>>;
export type Visitor = {
  /** An element begins. Names come without their prefix. */
  open?: (name: string, attributes: Attributes) => void;
  close?: (name: string) => void;
  text?: (text: string) => void;
};

const local = (name: string) => name.slice(name.indexOf(":") + 1);

/** Reads a part of a workbook as XML, strictly: document types are refused, so no entity is ever declared. Throws Unreadable. */
export async function visitXml(archive: Archive, part: string, visitor: Visitor): Promise<void> {
  const parser = new SaxesParser({ position: false, xmlns: false });
  let depth = 0;
  let attributes = 0;
  parser.on("doctype", () => {
    throw damaged();
  });
  parser.on("opentagstart", () => {
    attributes = 0;
    if (++depth > MAX_DEPTH) throw tooMuch();
  });
  parser.on("attribute", () => {
    if (++attributes > MAX_ATTRIBUTES) throw tooMuch();
  });
  parser.on("opentag", (tag) => visitor.open?.(local(tag.name), tag.attributes));
  parser.on("closetag", (tag) => {
    depth--;
    visitor.close?.(local(tag.name));
  });
  parser.on("text", (text) => visitor.text?.(text));
  parser.on("cdata", (text) => visitor.text?.(text));
  await archive.read(part, (text) => parser.write(text));
  try {
    parser.close();
  } catch {
    throw damaged();
  }
}

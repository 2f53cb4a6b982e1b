import { readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";

const PLACE = /((?:file:\/\/)?\/[^\n():]+\.js):(\d+):(\d+)/g;
const maps = new Map<string, SourceMap | undefined>();

/**
 * A text with lines of a stack, in which places in bundles are those in their sources. A map is read when an error needs it: Node's own
 * option reads those of all bundles at the start and keeps them, 20 MB in each process.
 */
export function inSources(text: string): string {
  return text.replace(PLACE, (whole, address: string, line: string, column: string) => {
    const file = address.startsWith("file:") ? fileURLToPath(address) : address;
    const origin = mapOf(file)?.findOrigin(Number(line), Number(column));
    if (!origin || !("fileName" in origin)) return whole;
    const source = path.resolve(path.dirname(file), origin.fileName);
    return `${source}:${origin.lineNumber}:${origin.columnNumber}`;
  });
}

function mapOf(file: string): SourceMap | undefined {
  if (!maps.has(file)) maps.set(file, readMap(`${file}.map`));
  return maps.get(file);
}

function readMap(file: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return undefined;
  }
}

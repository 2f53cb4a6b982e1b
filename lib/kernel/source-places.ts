import { readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";

const PLACE = /((?:file:\/\/)?\/[^\n():]+\.js):(\d+):(\d+)/g;
const MAX_PLACES = 1_000;
const KEEP_MAPS_MS = 10_000;
const maps = new Map<string, SourceMap | undefined>();
const places = new Map<string, string>();

/**
 * A text with lines of a stack, in which places in bundles are those in their sources. A map is read when an error needs it, and forgotten soon: those
 * of all bundles take 20 MB in each process, which Node's own option keeps from the start. Translated places stay.
 */
export function inSources(text: string): string {
  return text.replace(PLACE, (whole, address: string, line: string, column: string) => {
    const known = places.get(whole);
    if (known !== undefined) return known;
    const file = address.startsWith("file:") ? fileURLToPath(address) : address;
    const origin = mapOf(file)?.findOrigin(Number(line), Number(column));
    const place =
      origin && "fileName" in origin
        ? `${path.resolve(path.dirname(file), origin.fileName)}:${origin.lineNumber}:${origin.columnNumber}`
        : whole;
    if (places.size >= MAX_PLACES) places.clear();
    places.set(whole, place);
    return place;
  });
}

function mapOf(file: string): SourceMap | undefined {
  if (maps.size === 0) setTimeout(() => maps.clear(), KEEP_MAPS_MS).unref();
  if (!maps.has(file)) maps.set(file, readMap(`${file}.map`));
  return maps.get(file);
}

/** How many maps are kept just now. */
export const mapsKept = (): number => maps.size;

function readMap(file: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return undefined;
  }
}

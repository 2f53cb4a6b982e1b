import { expect, test } from "vitest";
import { takesBrotli, takesGzip } from "@/lib/http/accept-encoding";
import { parseObject } from "@/lib/http/body";
import { resemblesRoute } from "@/lib/http/target";
import { maskAddress, maskBody, maskHeaders } from "@/lib/kernel/mask";
import { cellText, harmlessCell } from "@/lib/kernel/spreadsheet";

// One thread answers every caller: a text of 16 KiB may take sixteen times as long as one of 1 KiB, and not 256 times.

const GROWTH = 16;
const SLACK = 4;
const MAX_ROUNDS = 20;
const ENOUGH_MS = 200;
/** The clock cannot compare shorter times. A reader that tries every beginning of 16 KiB takes far longer. */
const TOO_SHORT_MS = 0.5;

/** The shortest of several runs: another process may have interrupted any of them. */
function fastest(run: () => unknown): number {
  let best = Infinity;
  const began = performance.now();
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const from = performance.now();
    run();
    const now = performance.now();
    best = Math.min(best, now - from);
    if (now - began > ENOUGH_MS) break;
  }
  return best;
}

type Reader = (text: string) => unknown;
const resembles: Reader = (path) => resemblesRoute(path, () => undefined);
const header: Reader = (value) => maskHeaders(["referer", value]);
/** As much of an address or a body as the log looks at is shorter. */
const LOGGED = 256;

const worst: [string, Reader, (length: number) => string, number?][] = [
  ["a weight that goes on and on", takesGzip, (n) => `gzip;q=.${"1".repeat(n)}x`],
  ["blanks after a coding", takesGzip, (n) => `gzip${" ".repeat(n)}x`],
  ["blanks before a weight", takesBrotli, (n) => `br;${" ".repeat(n)}x`],
  ["many codings", takesBrotli, (n) => "gzip;q=1,".repeat(n / 9)],
  ["suffixes of a path", resembles, (n) => `/%25252541${".rsc".repeat(n / 4)}x`],
  ["segments of a path", resembles, (n) => `/%25252541${".segments/".repeat(n / 10)}`],
  ["slashes of a path", resembles, (n) => `/%25252541${"/a".repeat(n / 2)}`],
  ["a number of many zeros", parseObject, (n) => `{"a":1.${"0".repeat(n)}1}`],
  ["blanks in a body", parseObject, (n) => `{"a":${" ".repeat(n)}1.5}`],
  [
    "question marks and names of secrets",
    maskAddress,
    (n) => "?".repeat(n / 3) + "hash".repeat(n / 6),
    LOGGED,
  ],
  ["names of secrets without values", maskAddress, (n) => "?token".repeat(n / 6), LOGGED],
  ["equals signs", maskAddress, (n) => "?hash".repeat(n / 10) + "=".repeat(n / 2), LOGGED],
  ["half of a field's name", maskBody, (n) => `"token${"_key".repeat(n / 4)}`, LOGGED],
  ["percent signs of a header", header, (n) => "%25".repeat(n / 3)],
  ["line breaks", harmlessCell, (n) => `a${"\n".repeat(n)}a`],
  ["line breaks and quotes", harmlessCell, (n) => `a${'\n"'.repeat(n / 2)}a`],
  ["semicolons before a formula", harmlessCell, (n) => `a${"; ".repeat(n / 2)}=1`],
  ["apostrophes after semicolons", cellText, (n) => `a${";'".repeat(n / 2)}=1`],
];

test.each(worst)(
  "the time that a long text takes grows with its length alone: %s",
  (_, read, textOf, short = 1_024) => {
    const [few, many] = [textOf(short), textOf(short * GROWTH)];
    const asOften = fastest(() => {
      for (let time = 0; time < GROWTH; time++) read(few);
    });
    expect(fastest(() => read(many))).toBeLessThan(Math.max(asOften * SLACK, TOO_SHORT_MS));
  },
);

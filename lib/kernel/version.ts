import { version as released } from "@/package.json";

/** The version of this program, by Semantic Versioning. */
export const version: string = released;

/** Negative when `a` is older than `b`, positive when it is newer, by the precedence of Semantic Versioning. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [partsOf(a), partsOf(b)];
  for (let at = 0; at < 3; at++) {
    const difference = (left.numbers[at] ?? 0) - (right.numbers[at] ?? 0);
    if (difference !== 0) return difference;
  }
  // A pre-release comes before its release.
  if (left.pre.length === 0 || right.pre.length === 0) return right.pre.length - left.pre.length;
  for (let at = 0; at < Math.max(left.pre.length, right.pre.length); at++) {
    const difference = compareIdentifiers(left.pre[at], right.pre[at]);
    if (difference !== 0) return difference;
  }
  return 0;
}

function partsOf(text: string): { numbers: number[]; pre: string[] } {
  const [core = "", ...pre] = (text.split("+", 1)[0] ?? "").split("-");
  return {
    numbers: core.split(".").map(Number),
    pre: pre.length > 0 ? pre.join("-").split(".") : [],
  };
}

function compareIdentifiers(a: string | undefined, b: string | undefined): number {
  if (a === undefined || b === undefined) return a === b ? 0 : a === undefined ? -1 : 1;
  const [left, right] = [Number(a), Number(b)];
  if (Number.isNaN(left) !== Number.isNaN(right)) return Number.isNaN(left) ? 1 : -1;
  return Number.isNaN(left) ? (a < b ? -1 : a > b ? 1 : 0) : left - right;
}

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { matcher } from "./match";

const names = ["api", "pay", "links", "new", "x"];
const parameters = ["[id]", "[other]"];
const patterns = fc
  .record({
    segments: fc.array(fc.constantFrom(...names, ...parameters), { minLength: 1, maxLength: 4 }),
    rest: fc.boolean(),
  })
  .map(({ segments, rest }) => `/${[...segments, ...(rest ? ["[...rest]"] : [])].join("/")}`);
const paths = fc
  .array(fc.constantFrom(...names, "a%20b", "a%zz"), { minLength: 1, maxLength: 6 })
  .map((segments) => `/${segments.join("/")}`);

/** How strongly a pattern takes a path, segment by segment: "2" fixed, "1" a parameter, "0" the rest. Undefined where it does not match. */
function strength(pattern: string, path: string): string | undefined {
  const [wanted, given] = [pattern.slice(1).split("/"), path.slice(1).split("/")];
  let text = "";
  for (const [index, segment] of wanted.entries()) {
    if (given[index] === undefined) return undefined;
    if (segment.startsWith("[...")) return `${text}0`;
    if (!segment.startsWith("[") && segment !== given[index]) return undefined;
    text += segment.startsWith("[") ? "1" : "2";
  }
  return wanted.length === given.length ? text : undefined;
}

describe("a path", () => {
  test("reaches the route with fixed segments first, then parameters, then the rest", () => {
    fc.assert(
      fc.property(fc.uniqueArray(patterns, { maxLength: 12 }), paths, (given, path) => {
        const match = matcher(given.map((pattern) => ({ pattern, module: { pattern } })));
        const strengths = given.flatMap((pattern) => strength(pattern, path) ?? []);
        const best = strengths.sort().at(-1);
        const found = match(path)?.module.pattern as string | undefined;
        expect(found && strength(found, path)).toBe(best);
      }),
      { numRuns: 2_000 },
    );
  });
  test("gives its parameters decoded, and as they came where they cannot be decoded", () => {
    const match = matcher([{ pattern: "/api/links/[id]/[...rest]", module: {} }]);
    expect(match("/api/links/a%20b/c/%zz")?.params).toEqual({ id: "a b", rest: ["c", "%zz"] });
  });
});

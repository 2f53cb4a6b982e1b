import { DrizzleQueryError } from "drizzle-orm/errors";
import { afterEach, expect, test, vi } from "vitest";
import { explain } from "@/lib/operator/explain";
import { refuse } from "@/lib/supervisor/entry";

afterEach(() => vi.restoreAllMocks());

/** What is written to the terminal where this ends a process. */
function written(end: () => unknown): string {
  const print = vi.spyOn(console, "error").mockReturnValue();
  vi.spyOn(process, "exit").mockReturnValue(undefined as never);
  end();
  return print.mock.calls.flat().join("\n");
}

test.each([
  ["a command", explain],
  ["a process", refuse],
])(
  "a statement that fails in %s is explained by its cause, without the values it had",
  (_, end) => {
    const cause = Object.assign(new Error('relation "customers" does not exist'), {
      code: "42P01",
    });
    const failed = new DrizzleQueryError(
      "select erase_payer($1, $2)",
      ["ana@example.com", "a sealed text"],
      cause,
    );
    for (const error of [failed, new Error("not erased", { cause: failed })]) {
      const text = written(() => end(error));
      expect(text).toContain('Failed query: relation "customers" does not exist (42P01)');
      expect(text).toMatch(/\n {4}at /);
      expect(text).not.toMatch(/ana@example|sealed/);
    }
  },
);

test("what caused an error is said too", () => {
  const cause = Object.assign(new Error("connect"), { code: "ECONNREFUSED" });
  const text = written(() => explain(new TypeError("fetch failed", { cause })));
  expect(text).toMatch(
    /^TypeError: fetch failed \(ECONNREFUSED\)\n(?: {4}at .*\n)+caused by Error: connect \(ECONNREFUSED\)\n/,
  );
});

import { afterEach, expect, test, vi } from "vitest";
import { version } from "@/lib/kernel/version";
import { commands } from "@/lib/operator/commands";
import { explain } from "@/lib/operator/explain";
import { isDiskFull } from "@/lib/operator/usage";

// Each test loads the whole command line anew, which takes seconds on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const before = process.argv;
afterEach(() => {
  process.argv = before;
  process.exitCode = undefined;
  vi.restoreAllMocks();
});

/** Runs the operator's command as node would. Returns what it wrote and its exit code. */
async function kutip(...args: string[]): Promise<{ out: string; errors: string; code: unknown }> {
  const said = { out: "", errors: "" };
  vi.spyOn(process.stdout, "write").mockImplementation((text) =>
    Boolean((said.out += String(text))),
  );
  vi.spyOn(process.stderr, "write").mockImplementation((text) =>
    Boolean((said.errors += String(text))),
  );
  process.argv = ["node", "kutip.ts", ...args];
  vi.resetModules();
  await import("@/kutip");
  return { ...said, code: process.exitCode };
}

test.each(Object.entries(commands))(
  "%s --help says how it is called and does nothing",
  async (name, { usage, help }) => {
    for (const flag of ["--help", "-h"]) {
      const { out, errors, code } = await kutip(name, flag);
      expect([errors, code]).toEqual(["", 0]);
      if (name === "start") expect(out).toContain("KUTIP_DATA_DIR");
      else expect(out).toBe(`npm run -s kutip -- ${usage}\n\n${help}\n`);
    }
  },
);

test("--help among other arguments asks for help, behind -- it is an argument", async () => {
  expect(
    (await kutip("business:create", "Corner Shop", "--email", "ana@example.com", "--help")).code,
  ).toBe(0);
  const { errors, code } = await kutip("mail:show", "one", "--", "--help");
  expect([errors.split("\n")[0], code]).toEqual([
    "kutip: name the mail by its id, as mail:list shows it",
    2,
  ]);
});

test.each([
  ["a file", Object.assign(new Error("write"), { code: "ENOSPC" }), true],
  ["the database", Object.assign(new Error("could not extend file"), { code: "53100" }), true],
  ["a migration", new Error("Failed query", { cause: new Error("No space left on device") }), true],
  ["something else", new Error("Failed query"), false],
])("a full disk is told from other errors: %s", (_, error, full) => {
  expect(isDiskFull(error)).toBe(full);
});

test("a full disk may be any: the message names no single folder", () => {
  let said = "";
  vi.spyOn(process.stderr, "write").mockImplementation((text) => Boolean((said += String(text))));
  const full = Object.assign(new Error("ENOSPC: no space left on device, write"), {
    code: "ENOSPC",
  });
  expect(explain(full)).toBe(1);
  expect(said).toMatch(/^kutip: a disk is full, of this machine or of the database: make room/);
});

test("--version says which version this is", async () => {
  const { out, errors, code } = await kutip("--version");
  expect([out, errors, code]).toEqual([`${version}\n`, "", 0]);
});

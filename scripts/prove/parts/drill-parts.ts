import { closePool } from "@/db/client";

/** What a part gives to be ended when it ends, in reverse order. */
export type OnClose = (clean: () => unknown) => void;
type Part = (folder: string, onClose: OnClose) => Promise<void>;

/** The parts named in `--only=a,b`, else all. Throws for one that does not exist: a drill without parts would pass. */
export function chosenParts(parts: Readonly<Record<string, Part>>): string[] {
  const names = Object.keys(parts);
  const only = process.argv
    .find((word) => word.startsWith("--only="))
    ?.slice(7)
    .split(",");
  const unknown = only?.filter((name) => !names.includes(name)) ?? [];
  if (unknown.length > 0)
    throw new Error(`no part ${unknown.join(", ")}; there are: ${names.join(", ")}`);
  return only ? names.filter((name) => only.includes(name)) : names;
}

/** Runs the chosen parts in a folder one after the other, each with its own end; `end` ends the one under way. */
export function inParts(parts: Readonly<Record<string, Part>>): {
  run: (folder: string) => Promise<void>;
  end: () => Promise<void>;
} {
  const cleaners: (() => unknown)[] = [];
  const end = async () => {
    await closePool().catch(() => undefined);
    for (const clean of cleaners.splice(0).reverse()) await clean();
  };
  const run = async (folder: string) => {
    for (const name of chosenParts(parts)) {
      console.log(`  ${name}`);
      const began = performance.now();
      await parts[name]?.(folder, (clean) => cleaners.push(clean));
      await end();
      console.log(`          ${((performance.now() - began) / 1_000).toFixed(0)} s`);
    }
  };
  return { run, end };
}

import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import type { Part } from "@/db/transfer/parts";
import { readExport, writeExport } from "./export-file";

const work = mkdtempSync(path.join(os.tmpdir(), "kutip-export-file-"));
afterAll(() => rmSync(work, { recursive: true, force: true }));

async function* table(name: string, until: Promise<void>): AsyncGenerator<Part> {
  yield { begin: name };
  await until;
  yield { end: name, rows: 0 };
}

async function tablesIn(file: string): Promise<string[]> {
  const found: string[] = [];
  for await (const part of readExport(file)) if ("begin" in part) found.push(part.begin);
  return found;
}

test("two exports to one file at once are whole, and the one that ends last stays", async () => {
  const file = path.join(work, "export");
  const goOn = Promise.withResolvers<void>();
  const slow = writeExport(file, table("slow", goOn.promise));
  await writeExport(file, table("quick", Promise.resolve()));
  expect(await tablesIn(file)).toEqual(["quick"]);
  goOn.resolve();
  await slow;
  expect(await tablesIn(file)).toEqual(["slow"]);
  expect(readdirSync(work)).toEqual(["export"]);
});

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, afterEach, expect, test, vi } from "vitest";
import { dump } from "@/db/transfer/dump";
import { env, provideEnv } from "@/lib/env";
import { writeExport } from "@/lib/backups/export-file";
import { importInstall } from "@/lib/operator/transfer";
import { ownDatabaseEach } from "../own-database";

const work = mkdtempSync(path.join(os.tmpdir(), "kutip-import-"));
const before = env.KUTIP_SECRET ?? "";

ownDatabaseEach();
afterEach(() => {
  provideEnv({ KUTIP_SECRET: before, KUTIP_SECRET_PREVIOUS: "" });
  vi.restoreAllMocks();
});
afterAll(() => rmSync(work, { recursive: true, force: true }));

test("an import places the secret of the export only once the export is proven whole", async () => {
  const [former, theirs] = ["f".repeat(43), "t".repeat(43)];
  const whole = path.join(work, "whole");
  await dump((parts) => writeExport(whole, parts), theirs);
  const cut = path.join(work, "cut");
  writeFileSync(cut, readFileSync(whole).subarray(0, -20));
  const folder = path.join(work, "data");
  mkdirSync(folder);
  writeFileSync(path.join(folder, "secret"), `${former}\n`);
  const secret = () => readFileSync(path.join(folder, "secret"), "utf8").trim();
  for (const stream of [process.stdout, process.stderr])
    vi.spyOn(stream, "write").mockImplementation(() => true);

  provideEnv({ KUTIP_SECRET: "", KUTIP_DATA_DIR: folder });
  await expect(importInstall([cut])).rejects.toThrow(/damaged or cut/);
  expect([readdirSync(folder), secret()]).toEqual([["secret"], former]);

  provideEnv({ KUTIP_SECRET: "" });
  await importInstall([whole]);
  expect(secret()).toBe(theirs);
  expect(readdirSync(folder).filter((name) => /before-import/.test(name))).toHaveLength(1);
});

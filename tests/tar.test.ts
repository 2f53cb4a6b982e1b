import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { ending, entries, header, padding } from "@/lib/operator/tar";

const contents: [string, Buffer][] = [
  ["a", Buffer.from("short")],
  ["folder/empty", Buffer.alloc(0)],
  ["folder/block", Buffer.alloc(512, 7)],
  ["folder/long", Buffer.alloc(5000, 9)],
];

function archive(): Buffer {
  const parts = [header("folder", 0, true, 1_700_000_000)];
  for (const [name, content] of contents)
    parts.push(
      header(name, content.length, false, 1_700_000_000),
      content,
      padding(content.length),
    );
  return Buffer.concat([...parts, ending()]);
}

async function read(bytes: Buffer, chunk: number): Promise<[string, Buffer][]> {
  const pieces = Array.from({ length: Math.ceil(bytes.length / chunk) }, (_, i) =>
    bytes.subarray(i * chunk, (i + 1) * chunk),
  );
  const found: [string, Buffer][] = [];
  for await (const entry of entries(Readable.from(pieces))) {
    const parts: Buffer[] = [];
    for await (const part of entry.body) parts.push(part);
    if (!entry.folder) found.push([entry.name, Buffer.concat(parts)]);
  }
  return found;
}

test.each([1, 511, 512, 4096, 1 << 20])(
  "what was packed comes out, whatever the pieces (%i bytes)",
  async (chunk) => {
    expect(await read(archive(), chunk)).toEqual(contents);
  },
);

test("an archive cut anywhere is refused", async () => {
  const whole = archive();
  for (const length of [0, 100, 512, 1500, whole.length - 1024])
    await expect(read(whole.subarray(0, length), 512)).rejects.toThrow(/too early/);
});

test("an altered header is refused", async () => {
  const altered = archive();
  altered.write("b", 512);
  await expect(read(altered, 512)).rejects.toThrow(/damaged/);
});

test("the system's tar reads it", () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), "kutip-tar-"));
  writeFileSync(path.join(folder, "a.tar"), archive());
  const result = spawnSync("tar", ["-xf", "a.tar"], { cwd: folder });
  const long = readFileSync(path.join(folder, "folder/long"));
  rmSync(folder, { recursive: true, force: true });
  expect(result.status).toBe(0);
  expect(long).toEqual(contents[3]?.[1]);
});

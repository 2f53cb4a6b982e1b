import { randomBytes } from "node:crypto";
import { expect, test, vi } from "vitest";
import { open, seal } from "./sealed-stream";

// Deriving a key from a passphrase is slow on purpose.
vi.setConfig({ testTimeout: 60_000 });

const SALT_BYTES = 16;
const SEALED_BYTES = 65_536 + 16;
const passphrase = "correct horse battery";

async function collect(source: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of source) parts.push(part);
  return Buffer.concat(parts);
}
const inPieces = async function* (bytes: Buffer, piece = 10_007) {
  for (let at = 0; at < bytes.length; at += piece) yield bytes.subarray(at, at + piece);
};
const sealed = (bytes: Buffer) => collect(seal(inPieces(bytes), passphrase));
const opened = (bytes: Buffer, by = passphrase) => collect(open(inPieces(bytes), by));

test.each([0, 1, 65_535, 65_536, 65_537, 3 * 65_536])(
  "%i bytes come back, and look like nothing in between",
  async (size) => {
    const bytes = randomBytes(size);
    const hidden = await sealed(bytes);
    expect(await opened(hidden)).toEqual(bytes);
    if (size > 100) expect(hidden.includes(bytes.subarray(0, 32))).toBe(false);
    expect((await sealed(bytes)).equals(hidden)).toBe(false);
  },
);

test("another passphrase, an altered byte, chunks cut, swapped or repeated: all refused", async () => {
  const hidden = await sealed(randomBytes(3 * 65_536));
  const chunk = (at: number) =>
    hidden.subarray(SALT_BYTES + at * SEALED_BYTES, SALT_BYTES + (at + 1) * SEALED_BYTES);
  const salt = hidden.subarray(0, SALT_BYTES);
  const altered = Buffer.from(hidden);
  altered.writeUInt8(altered.readUInt8(70_000) ^ 1, 70_000);
  await expect(opened(hidden, "correct horse batterx")).rejects.toThrow(/passphrase/);
  for (const bad of [
    altered,
    hidden.subarray(0, hidden.length - 1),
    Buffer.concat([salt, chunk(0), chunk(1)]),
    Buffer.concat([salt, chunk(1), chunk(0), chunk(2)]),
    Buffer.concat([salt, chunk(0), chunk(0), chunk(1), chunk(2)]),
    Buffer.concat([hidden, chunk(2)]),
  ])
    await expect(opened(bad)).rejects.toMatchObject({ name: "Refusal" });
});

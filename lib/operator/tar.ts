import { ByteReader } from "@/lib/backups/byte-reader";

// The little of the tar format (ustar) that a backup needs: files and folders with short names, as streams.

const BLOCK = 512;

export type Entry = { name: string; size: number; folder: boolean };

/** The header block of an entry. `size` is in bytes, `modified` in unix seconds. */
export function header(name: string, size: number, folder: boolean, modified: number): Buffer {
  const block = Buffer.alloc(BLOCK);
  const path = folder ? `${name}/` : name;
  if (Buffer.byteLength(path) > 100) throw new Error(`the name ${name} is too long for a backup`);
  block.write(path, 0);
  block.write(folder ? "0000700\0" : "0000600\0", 100);
  block.write("0000000\0", 108);
  block.write("0000000\0", 116);
  block.write(`${size.toString(8).padStart(11, "0")}\0`, 124);
  block.write(`${Math.floor(modified).toString(8).padStart(11, "0")}\0`, 136);
  block.write("        ", 148);
  block.write(folder ? "5" : "0", 156);
  block.write("ustar\x0000", 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return block;
}

/** The zeroes that fill a file of that size up to a whole block. */
export const padding = (size: number) => Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);

/** What ends an archive. */
export const ending = () => Buffer.alloc(2 * BLOCK);

/** Reads an archive; `body` yields a file's bytes and must be read to its end before the next entry. Throws on a cut or altered archive. */
export async function* entries(
  source: AsyncIterable<Buffer>,
): AsyncGenerator<Entry & { body: AsyncGenerator<Buffer> }> {
  const reader = new ByteReader(source);
  for (;;) {
    const block = await reader.exactly(BLOCK);
    if (block.every((byte) => byte === 0)) break;
    const entry = parse(block);
    yield { ...entry, body: reader.upTo(entry.size) };
    await reader.exactly(padding(entry.size).length);
  }
  await reader.drain();
}

function parse(block: Buffer): Entry {
  const text = (from: number, length: number) =>
    block.toString("utf8", from, from + length).replace(/\0.*$/s, "");
  const stated = Number.parseInt(text(148, 8), 8);
  const blanked = Buffer.from(block);
  blanked.write("        ", 148);
  if (blanked.reduce((total, byte) => total + byte, 0) !== stated)
    throw new Error("the archive is damaged");
  const folder = text(156, 1) === "5";
  return {
    name: text(0, 100).replace(/\/$/, ""),
    size: Number.parseInt(text(124, 12), 8) || 0,
    folder,
  };
}

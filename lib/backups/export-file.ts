import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { Refusal } from "@/db/embedded/refusal";
import type { Part } from "@/db/transfer/parts";
import { ByteReader } from "./byte-reader";
import { halfOf } from "./half-file";
import { open, seal } from "./sealed-stream";

// The file: a line of 64 bytes that names the format, then gzip of the parts, encrypted if the line says so. A part is its kind (one byte), its length
// (four bytes) and its content; the last part is the SHA-256 of all bytes before it.
const HEAD_BYTES = 64;
const line = (text: string) => `${text.padEnd(HEAD_BYTES - 1)}\n`;
const PLAIN = line("KUTIP-EXPORT-1 plain");
const SEALED = line("KUTIP-EXPORT-1 encrypted");
const PART_LIMIT_BYTES = 2 ** 28;
const KIND = { json: 1, data: 2, sum: 3 } as const;

/** Writes parts to a file that only its owner can read, encrypted where there is a passphrase. The file appears when it is complete. */
export async function writeExport(
  file: string,
  parts: AsyncIterable<Part>,
  passphrase?: string,
): Promise<void> {
  const half = halfOf(file);
  try {
    await pipeline(
      exportBytes(parts, passphrase),
      createWriteStream(half, { flags: "wx", mode: 0o600, flush: true }),
    );
    await rename(half, file);
  } catch (error) {
    await rm(half, { force: true });
    throw error;
  }
}

/** The bytes of an export of these parts. An error of the parts is thrown from here, so that a partial copy is never mistaken for a complete one. */
export async function* exportBytes(
  parts: AsyncIterable<Part>,
  passphrase?: string,
): AsyncGenerator<Buffer> {
  const gzip = createGzip({ level: 1 });
  // An error of the source reaches the reader through the compression.
  pipeline(Readable.from(encode(parts), { objectMode: false }), gzip).catch(() => undefined);
  yield Buffer.from(passphrase === undefined ? PLAIN : SEALED);
  yield* passphrase === undefined ? gzip : seal(gzip, passphrase);
}

/** Reads the parts of a file. See `readExportBytes`. */
export const readExport = (file: string, passphrase?: string): AsyncGenerator<Part> =>
  readExportBytes(file, createReadStream(file), passphrase);

/** The bytes of a source. An error of its own is a Refusal, since a file or a store that cannot be read is not damaged. */
async function* readable(name: string, source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* source;
  } catch (error) {
    throw new Refusal(`${name} cannot be read: ${(error as Error).message}`);
  }
}

/**
 * Reads the parts of an export called `name`. Throws a Refusal where it cannot be read, is no export, is damaged, or needs another passphrase; only
 * at its end is it proven whole.
 */
export async function* readExportBytes(
  name: string,
  source: AsyncIterable<Buffer>,
  passphrase?: string,
): AsyncGenerator<Part> {
  const gunzip = createGunzip();
  const reader = new ByteReader(readable(name, source));
  try {
    const head = (await reader.atMost(HEAD_BYTES)).toString("latin1");
    if (head !== PLAIN && head !== SEALED)
      throw new Refusal(`${name} is no export of Kutip that this version can read`);
    if (head === SEALED && passphrase === undefined)
      throw new Refusal(`${name} is encrypted: add --passphrase, and give it on stdin`);
    const rest = (async function* () {
      for (;;) {
        const part = await reader.atMost(65_536);
        if (part.length === 0) return;
        yield part;
      }
    })();
    const packed = head === SEALED && passphrase !== undefined ? open(rest, passphrase) : rest;
    // An error of the file or of its encryption reaches the reader of the parts through the decompression.
    pipeline(packed, gunzip).catch(() => undefined);
    yield* decode(gunzip);
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw new Refusal(`${name} is damaged or cut (${(error as Error).message}): take another copy`);
  } finally {
    gunzip.destroy();
    await reader.close();
  }
}

async function* encode(parts: AsyncIterable<Part>): AsyncGenerator<Buffer> {
  const sum = createHash("sha256");
  for await (const part of parts) {
    const bytes = Buffer.isBuffer(part)
      ? framed(KIND.data, part)
      : framed(KIND.json, Buffer.from(JSON.stringify(part)));
    sum.update(bytes);
    yield bytes;
  }
  yield framed(KIND.sum, sum.digest());
}

function framed(kind: number, content: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt8(kind, 0);
  head.writeUInt32BE(content.length, 1);
  return Buffer.concat([head, content]);
}

async function* decode(source: AsyncIterable<Buffer>): AsyncGenerator<Part> {
  const reader = new ByteReader(source);
  const sum = createHash("sha256");
  for (;;) {
    const head = await reader.exactly(5);
    const length = head.readUInt32BE(1);
    if (length > PART_LIMIT_BYTES) throw new Error("a part is too long");
    const content = await reader.exactly(length);
    const kind = head.readUInt8(0);
    if (kind === KIND.sum) {
      if (!sum.digest().equals(content)) throw new Error("the checksum differs");
      return reader.drain();
    }
    sum.update(head).update(content);
    if (kind === KIND.data) yield content;
    else if (kind === KIND.json) yield JSON.parse(content.toString("utf8")) as Part;
    else throw new Error("a part is of an unknown kind");
  }
}

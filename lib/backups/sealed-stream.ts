import { createCipheriv, createDecipheriv, randomBytes, scrypt } from "node:crypto";
import { promisify } from "node:util";
import { Refusal } from "@/db/embedded/refusal";
import { ByteReader } from "./byte-reader";

// The STREAM construction: chunks of AES-256-GCM under one key. The nonce is the chunk's number and whether it is the last. So chunks
// cannot be swapped, repeated or cut off. The key comes from the passphrase by scrypt with a fresh salt, so nonces never meet again.
const CHUNK_BYTES = 65_536;
const TAG_BYTES = 16;
const SALT_BYTES = 16;
const SCRYPT = { N: 2 ** 17, r: 8, p: 1, maxmem: 2 ** 28 };

const derive = promisify<string, Buffer, number, typeof SCRYPT, Buffer>(scrypt);
const keyOf = (passphrase: string, salt: Buffer) =>
  derive(passphrase.normalize("NFKC"), salt, 32, SCRYPT);

function nonceOf(number: number, last: boolean): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUIntBE(number, 5, 6);
  nonce[11] = last ? 1 : 0;
  return nonce;
}

/** Encrypts a stream with a passphrase. The salt comes first. */
export async function* seal(
  source: AsyncIterable<Buffer>,
  passphrase: string,
): AsyncGenerator<Buffer> {
  const salt = randomBytes(SALT_BYTES);
  const key = await keyOf(passphrase, salt);
  yield salt;
  const reader = new ByteReader(source);
  let chunk = await reader.atMost(CHUNK_BYTES);
  for (let number = 0; ; number++) {
    const next = await reader.atMost(CHUNK_BYTES);
    const last = next.length === 0;
    const cipher = createCipheriv("aes-256-gcm", key, nonceOf(number, last));
    yield Buffer.concat([cipher.update(chunk), cipher.final(), cipher.getAuthTag()]);
    if (last) return;
    chunk = next;
  }
}

/** Decrypts what `seal` made. Throws a Refusal on another passphrase, and where a byte was changed or is missing. */
export async function* open(
  source: AsyncIterable<Buffer>,
  passphrase: string,
): AsyncGenerator<Buffer> {
  const reader = new ByteReader(source);
  const key = await keyOf(passphrase, await reader.exactly(SALT_BYTES));
  let sealed = await reader.atMost(CHUNK_BYTES + TAG_BYTES);
  for (let number = 0; ; number++) {
    const next = await reader.atMost(CHUNK_BYTES + TAG_BYTES);
    const last = next.length === 0;
    yield opened(sealed, key, number, last);
    if (last) return;
    sealed = next;
  }
}

function opened(sealed: Buffer, key: Buffer, number: number, last: boolean): Buffer {
  const end = sealed.length - TAG_BYTES;
  try {
    const decipher = createDecipheriv("aes-256-gcm", key, nonceOf(number, last));
    decipher.setAuthTag(sealed.subarray(end));
    return Buffer.concat([decipher.update(sealed.subarray(0, end)), decipher.final()]);
  } catch {
    throw new Refusal(
      number === 0
        ? "the passphrase is another one, or the file is damaged"
        : "the file is damaged or cut: take another copy of it",
    );
  }
}

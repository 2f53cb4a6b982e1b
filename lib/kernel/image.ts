import { inflateSync } from "node:zlib";

export type ImageType = "image/png" | "image/jpeg" | "image/webp";
export type ImageFacts = { type: ImageType; width: number; height: number };

/** What a PNG, JPEG or WebP says about itself in its own bytes, sides in pixels; undefined for anything else and for what is cut off or carries more. */
export function imageFacts(bytes: Uint8Array): ImageFacts | undefined {
  const image = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    return png(image) ?? jpeg(image) ?? webp(image);
  } catch {
    return undefined;
  }
}

const pngStart = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const channels: Record<number, number> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
const mostSide = 16_384;

function png(image: Buffer): ImageFacts | undefined {
  if (!image.subarray(0, 8).equals(pngStart) || image.toString("latin1", 12, 16) !== "IHDR") return undefined;
  const facts: ImageFacts = { type: "image/png", width: image.readUInt32BE(16), height: image.readUInt32BE(20) };
  const data: Buffer[] = [];
  let at = 8;
  for (let name = ""; name !== "IEND"; at += 12 + image.readUInt32BE(at)) {
    name = image.toString("latin1", at + 4, at + 8);
    if (name === "IDAT") data.push(image.subarray(at + 8, at + 8 + image.readUInt32BE(at)));
  }
  return at === image.length && unpacks(image, facts, Buffer.concat(data)) ? facts : undefined;
}

/** Packed pixels may be a thousand times larger than their header says; whoever opens them later should not find out. */
function unpacks(image: Buffer, { width, height }: ImageFacts, packed: Buffer): boolean {
  if (width > mostSide || height > mostSide) return true;
  const depth = image.readUInt8(24) * (channels[image.readUInt8(25)] ?? 0);
  const rows = height * (Math.ceil((width * depth) / 8) + 1);
  const interlaced = image.readUInt8(28) === 1;
  const pixels = inflateSync(packed, { maxOutputLength: interlaced ? rows * 2 + 64 : rows });
  return depth > 0 && (interlaced || pixels.length === rows);
}

function jpeg(image: Buffer): ImageFacts | undefined {
  if (image.readUInt16BE(0) !== 0xffd8) return undefined;
  for (let at = 2; image.readUInt8(at) === 0xff; at += 2 + image.readUInt16BE(at + 2)) {
    const marker = image.readUInt8(at + 1);
    // Start of frame, whichever way it is coded; the three others in that range are tables.
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      return { type: "image/jpeg", height: image.readUInt16BE(at + 5), width: image.readUInt16BE(at + 7) };
    }
  }
  return undefined;
}

function webp(image: Buffer): ImageFacts | undefined {
  if (image.toString("latin1", 0, 4) !== "RIFF" || image.toString("latin1", 8, 12) !== "WEBP" || image.readUInt32LE(4) + 8 !== image.length) return undefined;
  const facts = (width: number, height: number): ImageFacts => ({ type: "image/webp", width, height });
  switch (image.toString("latin1", 12, 16)) {
    case "VP8 ":
      return image.readUIntLE(23, 3) === 0x2a019d ? facts(image.readUInt16LE(26) & 0x3fff, image.readUInt16LE(28) & 0x3fff) : undefined;
    case "VP8L": {
      const sides = image.readUInt32LE(21);
      return image.readUInt8(20) === 0x2f ? facts((sides & 0x3fff) + 1, ((sides >>> 14) & 0x3fff) + 1) : undefined;
    }
    case "VP8X":
      return facts(image.readUIntLE(24, 3) + 1, image.readUIntLE(27, 3) + 1);
    default:
      return undefined;
  }
}

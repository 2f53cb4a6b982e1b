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
/** Channels and depths by colour type. */
const colours: Record<number, { channels: number; depths: readonly number[] }> = {
  0: { channels: 1, depths: [1, 2, 4, 8, 16] },
  2: { channels: 3, depths: [8, 16] },
  3: { channels: 1, depths: [1, 2, 4, 8] },
  4: { channels: 2, depths: [8, 16] },
  6: { channels: 4, depths: [8, 16] },
};
/** Larger ones are told by their sides alone and never unpacked. */
const mostSide = 2_048;

// Strict, since what draws receipts is not: it throws past every catch at a wrong filter, and reads on askew behind a chunk it did not expect.
function png(image: Buffer): ImageFacts | undefined {
  if (
    !image.subarray(0, 8).equals(pngStart) ||
    image.readUInt32BE(8) !== 13 ||
    image.toString("latin1", 12, 16) !== "IHDR"
  )
    return undefined;
  const facts: ImageFacts = {
    type: "image/png",
    width: image.readUInt32BE(16),
    height: image.readUInt32BE(20),
  };
  const opaque = image.readUInt8(25) < 4;
  const data: Buffer[] = [];
  let at = 33;
  for (let name = ""; name !== "IEND"; at += 12 + image.readUInt32BE(at)) {
    name = image.toString("latin1", at + 4, at + 8);
    if (name === "IHDR" || (name === "tRNS" && !opaque)) return undefined;
    if (name === "IDAT") data.push(image.subarray(at + 8, at + 8 + image.readUInt32BE(at)));
  }
  return at === image.length && unpacks(image, facts, Buffer.concat(data)) ? facts : undefined;
}

/** First column, first row and the steps between them, of the passes of an interlaced image. */
const passes = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

/** Packed pixels may be a thousand times larger than their header says; whoever opens them later should not find out. Each row begins with a filter, 0 to 4. */
function unpacks(image: Buffer, { width, height }: ImageFacts, packed: Buffer): boolean {
  const colour = colours[image.readUInt8(25)];
  const [depth, interlaced] = [image.readUInt8(24), image.readUInt8(28)];
  if (!colour?.depths.includes(depth) || image.readUInt16BE(26) !== 0 || interlaced > 1)
    return false;
  if (width > mostSide || height > mostSide) return true;
  const parts = (interlaced ? passes : ([[0, 0, 1, 1]] as const)).map(([x, y, across, down]) => {
    const columns = Math.ceil((width - x) / across);
    return {
      row: Math.ceil((columns * colour.channels * depth) / 8) + 1,
      rows: columns > 0 ? Math.max(0, Math.ceil((height - y) / down)) : 0,
    };
  });
  const size = parts.reduce((sum, { row, rows }) => sum + row * rows, 0);
  const pixels = inflateSync(packed, { maxOutputLength: Math.max(1, size) });
  if (pixels.length !== size) return false;
  let at = 0;
  for (const { row, rows } of parts)
    for (let left = rows; left > 0; left--, at += row) if ((pixels[at] ?? 0) > 4) return false;
  return true;
}

function jpeg(image: Buffer): ImageFacts | undefined {
  if (image.readUInt16BE(0) !== 0xffd8) return undefined;
  for (let at = 2; image.readUInt8(at) === 0xff; at += 2 + image.readUInt16BE(at + 2)) {
    const marker = image.readUInt8(at + 1);
    // Start of frame, whichever way it is coded; the three others in that range are tables.
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      return {
        type: "image/jpeg",
        height: image.readUInt16BE(at + 5),
        width: image.readUInt16BE(at + 7),
      };
    }
  }
  return undefined;
}

function webp(image: Buffer): ImageFacts | undefined {
  if (
    image.toString("latin1", 0, 4) !== "RIFF" ||
    image.toString("latin1", 8, 12) !== "WEBP" ||
    image.readUInt32LE(4) + 8 !== image.length
  )
    return undefined;
  const facts = (width: number, height: number): ImageFacts => ({
    type: "image/webp",
    width,
    height,
  });
  switch (image.toString("latin1", 12, 16)) {
    case "VP8 ":
      return image.readUIntLE(23, 3) === 0x2a019d
        ? facts(image.readUInt16LE(26) & 0x3fff, image.readUInt16LE(28) & 0x3fff)
        : undefined;
    case "VP8L": {
      const sides = image.readUInt32LE(21);
      return image.readUInt8(20) === 0x2f
        ? facts((sides & 0x3fff) + 1, ((sides >>> 14) & 0x3fff) + 1)
        : undefined;
    }
    case "VP8X":
      return facts(image.readUIntLE(24, 3) + 1, image.readUIntLE(27, 3) + 1);
    default:
      return undefined;
  }
}

/** Whether a segment is as long as what stands in it, for those that are read by counting. */
function fits(marker: number, segment: Buffer): boolean {
  if (marker === 0xdb) return (segment.length - 4) % 65 === 0;
  if (marker === 0xdd) return segment.length === 6;
  if (marker === 0xda) return segment.length === 8 + 2 * (segment[4] ?? 0);
  if (marker === 0xc4 || marker === 0xee) return segment.length > 4;
  return marker >= 0xc0 && marker <= 0xc2 && segment.length === 10 + 3 * (segment[9] ?? 0);
}

const mostSegments = 256;

/**
 * A JPEG reduced to frame, tables and pixels, for readers that believe what cameras wrote beside them; undefined for one that is cut off or coded in an
 * unusual way. A turn that only the camera's notes tell of is lost.
 */
export function plainJpeg(image: Buffer): Buffer | undefined {
  const kept: Buffer[] = [image.subarray(0, 2)];
  let at = 2;
  for (let count = 0; count < mostSegments && at + 2 <= image.length; count++) {
    const marker = image.readUInt8(at + 1);
    if (image.readUInt8(at) !== 0xff) return undefined;
    if (marker === 0xd9) return Buffer.concat([...kept, image.subarray(at, at + 2)]);
    const end =
      at + 4 > image.length ? Number.POSITIVE_INFINITY : at + 2 + image.readUInt16BE(at + 2);
    if (end > image.length || end < at + 4) return undefined;
    const segment = image.subarray(at, end);
    at = end;
    // What programs add, but for the one that says how colours are meant.
    if ((marker >= 0xe0 && marker <= 0xef && marker !== 0xee) || marker === 0xfe) continue;
    if (!fits(marker, segment)) return undefined;
    kept.push(segment);
    if (marker === 0xda) kept.push(image.subarray(at, (at = endOfScan(image, at))));
  }
  return undefined;
}

/** Where the next marker stands: behind 255 comes 0 or a restart while pixels go on. */
function endOfScan(image: Buffer, from: number): number {
  let at = image.indexOf(0xff, from);
  while (at !== -1 && (image[at + 1] === 0 || ((image[at + 1] ?? 0) & 0xf8) === 0xd0))
    at = image.indexOf(0xff, at + 1);
  return at === -1 ? image.length : at;
}

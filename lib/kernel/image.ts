export type ImageType = "image/png" | "image/jpeg" | "image/webp";
export type ImageFacts = { type: ImageType; width: number; height: number };

/** What a PNG, JPEG or WebP says about itself in its own bytes, sides in pixels; undefined for anything else, and for a PNG or WebP that is cut off or carries more. Pixels are not looked at. */
export function imageFacts(bytes: Uint8Array): ImageFacts | undefined {
  const image = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    return png(image) ?? jpeg(image) ?? webp(image);
  } catch {
    return undefined;
  }
}

const pngStart = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

function png(image: Buffer): ImageFacts | undefined {
  if (
    !image.subarray(0, 8).equals(pngStart) ||
    image.readUInt32BE(8) !== 13 ||
    image.toString("latin1", 12, 16) !== "IHDR"
  )
    return undefined;
  let at = 33;
  for (let name = ""; name !== "IEND"; at += 12 + image.readUInt32BE(at)) {
    name = image.toString("latin1", at + 4, at + 8);
    if (name === "IHDR") return undefined;
  }
  return at === image.length
    ? { type: "image/png", width: image.readUInt32BE(16), height: image.readUInt32BE(20) }
    : undefined;
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

import { crc32, deflateSync } from "node:zlib";
import sharp from "sharp";

export const chunk = (name: string, data: Buffer): Buffer => {
  const body = Buffer.concat([Buffer.from(name, "latin1"), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
};

/** The head of a PNG with eight bits a channel: grey unless `colour` says else. */
export function pngHead(width: number, height: number, colour = 0, interlaced = 0): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, colour, 0, 0, interlaced], 8);
  return chunk("IHDR", head);
}

/** A PNG of parts: its header, its packed pixels, and the chunks between them. */
export function pngFrom(head: Buffer, pixels: Buffer, between: readonly Buffer[] = []): Buffer {
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    head,
    ...between,
    chunk("IDAT", deflateSync(pixels)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** A black PNG; `pixels` where its packed data is to be something else. */
export const pngOf = (
  width: number,
  height: number,
  pixels = Buffer.alloc(height * (width + 1)),
): Buffer => pngFrom(pngHead(width, height), pixels);

/** The head of a JPEG, which is all that is read of one. */
export function jpegOf(width: number, height: number): Buffer {
  const app = Buffer.from("ffe000104a46494600010100000100010000", "hex");
  const frame = Buffer.from("ffc00011080000000003012200021101031101", "hex");
  frame.writeUInt16BE(height, 5);
  frame.writeUInt16BE(width, 7);
  return Buffer.concat([Buffer.from("ffd8", "hex"), app, frame, Buffer.from("ffd9", "hex")]);
}

/** The head of a WebP in one of its three ways. */
export function webpOf(kind: "VP8 " | "VP8L" | "VP8X", width: number, height: number): Buffer {
  const data = Buffer.alloc(10);
  if (kind === "VP8 ") {
    data.set([0x9d, 0x01, 0x2a], 3);
    data.writeUInt16LE(width, 6);
    data.writeUInt16LE(height, 8);
  } else if (kind === "VP8L") {
    data.writeUInt8(0x2f, 0);
    data.writeUInt32LE((width - 1) | ((height - 1) << 14), 1);
  } else {
    data.writeUIntLE(width - 1, 4, 3);
    data.writeUIntLE(height - 1, 7, 3);
  }
  const head = Buffer.alloc(20);
  head.write("RIFF", 0, "latin1");
  head.writeUInt32LE(head.length + data.length - 8, 4);
  head.write(`WEBP${kind}`, 8, "latin1");
  head.writeUInt32LE(data.length, 16);
  return Buffer.concat([head, data]);
}

/** An image with pixels of its own, as a camera or a program would write it. */
export const pictureOf = (
  type: "png" | "jpeg" | "webp",
  width: number,
  height: number,
): Promise<Buffer> =>
  sharp({ create: { width, height, channels: 3, background: "#336699" } })
    .withExif({ IFD0: { Copyright: "Somebody's camera" } })
    .toFormat(type)
    .toBuffer();

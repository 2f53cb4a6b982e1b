import { randomBytes } from "node:crypto";
import sharp from "sharp";
import { expect, test } from "vitest";
import { chunk, jpegOf, pictureOf, pngFrom, pngHead, pngOf, webpOf } from "@/tests/images";
import { encodeLogo } from "./logo";
import type { EncodedLogo } from "./tasks";

async function encoded(bytes: Buffer): Promise<EncodedLogo> {
  const result = await encodeLogo(bytes);
  if ("refused" in result) throw new Error(`refused for its ${result.refused}`);
  return result;
}

test.each([
  ["png", "image/png"],
  ["jpeg", "image/jpeg"],
  ["webp", "image/png"],
] as const)(
  "a %s is kept as %s, its sides as they are, without what a camera wrote",
  async (from, type) => {
    const logo = await encoded(await pictureOf(from, 300, 80));
    expect(logo).toMatchObject({ type, width: 300, height: 80 });
    expect(Buffer.from(logo.bytes).includes("camera")).toBe(false);
    expect((await sharp(logo.bytes).metadata()).exif).toBeUndefined();
  },
);

test("a large logo is scaled down and stays in proportion", async () => {
  expect(await encoded(await pictureOf("png", 2_048, 1_024))).toMatchObject({
    width: 512,
    height: 256,
  });
});

test("even noise of 16 bits a channel becomes a small file", { timeout: 60_000 }, async () => {
  const side = 200;
  const noise = await sharp(randomBytes(side * side * 4), {
    raw: { width: side, height: side, channels: 4 },
  })
    .resize(1_024, 1_024)
    .toColourspace("rgb16")
    .png()
    .toBuffer();
  const { bytes, width } = await encoded(noise);
  expect(bytes.length).toBeLessThanOrEqual(128 * 1024);
  expect(width).toBeLessThanOrEqual(512);
});

test("a turn that a camera only noted is made", async () => {
  const turned = await sharp(await pictureOf("jpeg", 300, 80))
    .withExif({ IFD0: { Orientation: "6" } })
    .withMetadata({ orientation: 6 })
    .toBuffer();
  expect(await encoded(turned)).toMatchObject({ width: 80, height: 300 });
});

test("bytes behind the pixels of a PNG are not kept", async () => {
  const page = Buffer.from("<script>alert(1)</script>");
  const { bytes } = await encoded(Buffer.concat([pngOf(32, 32), page]));
  expect(Buffer.from(bytes).includes(page)).toBe(false);
});

const rgba = Buffer.alloc(32 * (32 * 4 + 1));
test.each([
  ["an SVG", Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'/>")],
  ["a GIF", Buffer.from("GIF89a\x40\x01\x60\x00", "latin1")],
  ["a page", Buffer.from("<!doctype html><script>alert(1)</script>")],
  ["a PNG that is cut off", pngOf(32, 32).subarray(0, -24)],
  ["a PNG that unpacks to less than it says", pngOf(32, 32, Buffer.alloc(7))],
  [
    "a PNG whose rows begin with no known filter",
    pngFrom(pngHead(32, 32, 6), Buffer.from(rgba).fill(5, 0, 1)),
  ],
  [
    "a PNG whose second header is another",
    pngFrom(pngHead(32, 32, 6), rgba, [pngHead(60_000, 60_000, 6)]),
  ],
  [
    "a PNG whose depth does not go with its colours",
    pngFrom(
      chunk("IHDR", Buffer.from(pngHead(32, 32).subarray(8, 21)).fill(7, 8, 9)),
      Buffer.alloc(32 * 33),
    ),
  ],
  ["a JPEG without pixels", jpegOf(320, 96)],
  ["a WebP without pixels", webpOf("VP8X", 320, 96)],
])("%s is no logo", async (_, bytes) => {
  expect(await encodeLogo(bytes)).toEqual({ refused: "type" });
});

test.each([
  ["a PNG that claims 60,000 pixels a side", pngFrom(pngHead(60_000, 60_000), Buffer.alloc(9))],
  ["a JPEG that is too wide", await pictureOf("jpeg", 5_000, 100)],
  ["a PNG that is too small", pngOf(8, 200)],
])("%s is refused for its sides, before a pixel is unpacked", async (_, bytes) => {
  expect(await encodeLogo(bytes)).toEqual({ refused: "sides" });
});

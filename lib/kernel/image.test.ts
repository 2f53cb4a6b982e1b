import { expect, test } from "vitest";
import { chunk, jpegOf, pngFrom, pngHead, pngOf, webpOf } from "@/tests/images";
import { imageFacts, plainJpeg } from "./image";

test.each([
  ["image/png", pngOf(320, 96)],
  ["image/jpeg", jpegOf(320, 96)],
  ["image/webp", webpOf("VP8 ", 320, 96)],
  ["image/webp", webpOf("VP8L", 320, 96)],
  ["image/webp", webpOf("VP8X", 320, 96)],
])("%s: its type and sides are read from its bytes", (type, bytes) => {
  expect(imageFacts(bytes)).toEqual({ type, width: 320, height: 96 });
});

// 33 by 17 pixels in seven passes: 5x3, 4x3, 9x2, 8x5, 17x4, 16x9 and 33x8, a filter before each row.
const inPasses = (filter: number) => {
  const pixels = Buffer.alloc(3 * 6 + 3 * 5 + 2 * 10 + 5 * 9 + 4 * 18 + 9 * 17 + 8 * 34);
  pixels.writeUInt8(filter, pixels.length - 34);
  return pngFrom(pngHead(33, 17, 0, 1), pixels);
};
const rgba = Buffer.alloc(32 * (32 * 4 + 1));

test("an interlaced PNG and one with transparency are images", () => {
  expect(imageFacts(inPasses(4))).toEqual({ type: "image/png", width: 33, height: 17 });
  expect(imageFacts(pngFrom(pngHead(32, 32, 6), rgba))).toEqual({
    type: "image/png",
    width: 32,
    height: 32,
  });
});

// Each of these ends the process, or keeps it busy for good, in what draws receipts.
test.each([
  ["rows begin with no known filter", pngFrom(pngHead(32, 32, 6), Buffer.from(rgba).fill(5, 0, 1))],
  ["rows of a late pass begin with no known filter", inPasses(5)],
  ["second header is another", pngFrom(pngHead(32, 32, 6), rgba, [pngHead(60_000, 60_000, 6)])],
  [
    "header is longer than a header",
    pngFrom(
      chunk("IHDR", Buffer.concat([pngHead(32, 32).subarray(8, 21), Buffer.alloc(4)])),
      Buffer.alloc(32 * 33),
    ),
  ],
  [
    "transparency is given twice over",
    pngFrom(pngHead(32, 32, 6), rgba, [chunk("tRNS", pngHead(60_000, 60_000, 6))]),
  ],
  [
    "depth does not go with its colours",
    pngFrom(
      chunk("IHDR", Buffer.from(pngHead(32, 32).subarray(8, 21)).fill(7, 8, 9)),
      Buffer.alloc(32 * 33),
    ),
  ],
])("a PNG whose %s is no image", (_, bytes) => {
  expect(imageFacts(bytes)).toBeUndefined();
});

test.each([
  ["nothing", Buffer.alloc(0)],
  [
    "an SVG",
    Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`),
  ],
  ["a GIF", Buffer.from("GIF89a\x40\x01\x60\x00", "latin1")],
  [
    "a page that begins like a PNG",
    Buffer.concat([pngOf(32, 32).subarray(0, 8), Buffer.from("<script>alert(1)</script>")]),
  ],
  [
    "a PNG with a page behind it",
    Buffer.concat([pngOf(32, 32), Buffer.from("<script>alert(1)</script>")]),
  ],
  ["a PNG that is cut off", pngOf(32, 32).subarray(0, -6)],
  ["a PNG that unpacks to more than it says", pngOf(32, 32, Buffer.alloc(4_000_000))],
  ["a PNG that unpacks to less than it says", pngOf(32, 32, Buffer.alloc(7))],
  ["a JPEG without a frame", Buffer.from("ffd8ffd9", "hex")],
  [
    "a WebP with a page behind it",
    Buffer.concat([webpOf("VP8X", 32, 32), Buffer.from("<script>")]),
  ],
])("%s is no image", (_, bytes) => {
  expect(imageFacts(bytes)).toBeUndefined();
});

const segment = (marker: number, data: Buffer) =>
  Buffer.concat([
    Buffer.from([0xff, marker, (data.length + 2) >> 8, (data.length + 2) & 0xff]),
    data,
  ]);
const scan = Buffer.concat([
  segment(0xda, Buffer.from("010100003f00", "hex")),
  Buffer.from("55ff00aaffd355", "hex"),
]);
const [start, frame, end] = [
  Buffer.from("ffd8", "hex"),
  jpegOf(320, 96).subarray(20, 39),
  Buffer.from("ffd9", "hex"),
];
const camera = segment(
  0xe1,
  Buffer.concat([Buffer.from("Exif\0\0II*\0\x08\0\0\0", "latin1"), Buffer.alloc(200, 0xff)]),
);

test("a JPEG is drawn without what a camera wrote beside its pixels, and with all of those", () => {
  const plain = Buffer.concat([start, frame, scan, end]);
  expect(plainJpeg(plain)).toEqual(plain);
  expect(
    plainJpeg(
      Buffer.concat([
        start,
        camera,
        segment(0xfe, Buffer.from("words")),
        frame,
        scan,
        camera,
        end,
        camera,
      ]),
    ),
  ).toEqual(plain);
});

test.each([
  ["is cut off", Buffer.concat([start, frame, scan])],
  [
    "has a table that is longer than its numbers, for another segment to hide in",
    Buffer.concat([
      start,
      segment(0xdb, Buffer.concat([Buffer.alloc(65), camera])),
      frame,
      scan,
      end,
    ]),
  ],
  [
    "names more parts than its frame holds",
    Buffer.concat([start, Buffer.from(frame).fill(9, 9, 10), scan, end]),
  ],
  ["is coded without loss", Buffer.concat([start, Buffer.from(frame).fill(0xc3, 1, 2), scan, end])],
  [
    "has thousands of scans",
    Buffer.concat([start, frame, ...Array.from({ length: 5_000 }, () => scan), end]),
  ],
])("a JPEG that %s is not drawn", (_, bytes) => {
  expect(plainJpeg(bytes)).toBeUndefined();
});

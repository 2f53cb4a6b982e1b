import { expect, test } from "vitest";
import { jpegOf, pngOf, webpOf } from "@/tests/images";
import { imageFacts } from "./image";

test.each([
  ["image/png", pngOf(320, 96)],
  ["image/jpeg", jpegOf(320, 96)],
  ["image/webp", webpOf("VP8 ", 320, 96)],
  ["image/webp", webpOf("VP8L", 320, 96)],
  ["image/webp", webpOf("VP8X", 320, 96)],
])("%s: its type and sides are read from its bytes", (type, bytes) => {
  expect(imageFacts(bytes)).toEqual({ type, width: 320, height: 96 });
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
  ["a JPEG without a frame", Buffer.from("ffd8ffd9", "hex")],
  [
    "a WebP with a page behind it",
    Buffer.concat([webpOf("VP8X", 32, 32), Buffer.from("<script>")]),
  ],
])("%s is no image", (_, bytes) => {
  expect(imageFacts(bytes)).toBeUndefined();
});

import jsQR from "jsqr";
import { expect, test } from "vitest";
import { qrSvg } from "./qr";

/** Paints the path as a browser would, four pixels a module. */
function paint(svg: string): { pixels: Uint8ClampedArray; side: number } {
  const scale = 4;
  const [, offset = "", box = ""] = /viewBox="-(\d+) -\d+ (\d+) /.exec(svg) ?? [];
  const side = Number(box) * scale;
  const pixels = new Uint8ClampedArray(side * side * 4).fill(255);
  let x = 0;
  let y = 0;
  for (const [, command, first = "", second = ""] of (/ d="([^"]+)"/.exec(svg)?.[1] ?? "").matchAll(
    /([Mmh])(-?[\d.]+)(?: (-?[\d.]+))?/g,
  )) {
    if (command === "M") [x, y] = [Number(first), Number(second) - 0.5];
    else if (command === "m") x += Number(first);
    else {
      for (let row = 0; row < scale; row += 1) {
        const start = ((y + Number(offset)) * scale + row) * side + (x + Number(offset)) * scale;
        for (let pixel = start; pixel < start + Number(first) * scale; pixel += 1)
          pixels.fill(0, pixel * 4, pixel * 4 + 3);
      }
      x += Number(first);
    }
  }
  return { pixels, side };
}

test.each([
  "http://localhost:3000/pay?id=65f1c0de65f1c0de65f1c0de&test=true",
  "https://pay.a-rather-long-name.example.com/pay?id=ffffffffffffffffffffffff",
])("a camera reads the address from the QR: %s", (address) => {
  const { pixels, side } = paint(qrSvg(address));
  expect(jsQR(pixels, side, side)?.data).toBe(address);
});

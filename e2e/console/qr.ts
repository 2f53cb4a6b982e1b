import type { Locator } from "@playwright/test";
import jsQR from "jsqr";

const SIDE = 400;

/** What the phone that reads a picture of the page would open. */
export async function readQr(picture: Locator): Promise<string | undefined> {
  const pixels = await picture.evaluate(async (image: HTMLImageElement, side) => {
    await image.decode();
    const canvas = Object.assign(document.createElement("canvas"), { width: side, height: side });
    const context = canvas.getContext("2d");
    if (!context) return [];
    context.fillStyle = "white";
    context.fillRect(0, 0, side, side);
    context.drawImage(image, 0, 0, side, side);
    return [...context.getImageData(0, 0, side, side).data];
  }, SIDE);
  return jsQR(Uint8ClampedArray.from(pixels), SIDE, SIDE)?.data;
}

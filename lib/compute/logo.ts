import sharp from "sharp";
import { logoLimits } from "@/lib/contract/values";
import { imageFacts } from "@/lib/kernel/image";
import type { EncodedLogo, LogoRefusal } from "./tasks";

// Logos differ, so nothing is worth keeping; the threads of the pool are the only parallelism.
sharp.cache(false);
sharp.concurrency(1);

/** Sides to try, largest first: three times what pages and receipts show, then less until the file is small. */
const SIDES_PIXELS = [512, 384, 256, 128];
const ENCODED_BYTES = 128 * 1024;

/** Scales a logo down and writes it anew, without what cameras and programs put beside the pixels: a JPEG as JPEG, all else as PNG. */
export async function encodeLogo(bytes: Uint8Array): Promise<EncodedLogo | LogoRefusal> {
  const facts = imageFacts(bytes);
  if (!facts) return { refused: "type" };
  const { least, most } = logoLimits;
  if ([facts.width, facts.height].some((side) => side < least || side > most))
    return { refused: "sides" };
  const photo = facts.type === "image/jpeg";
  try {
    for (const side of SIDES_PIXELS) {
      const scaled = sharp(bytes, { limitInputPixels: most * most, pages: 1 })
        .autoOrient()
        .toColourspace("srgb")
        .resize(side, side, { fit: "inside", withoutEnlargement: true });
      const { data, info } = await (photo
        ? scaled.jpeg({ quality: 85 })
        : scaled.png({ compressionLevel: 9, palette: side < 512 })
      ).toBuffer({ resolveWithObject: true });
      if (data.length > ENCODED_BYTES && side !== SIDES_PIXELS.at(-1)) continue;
      return {
        type: photo ? "image/jpeg" : "image/png",
        width: info.width,
        height: info.height,
        bytes: new Uint8Array(data),
      };
    }
  } catch {
    // libvips names what is wrong with the file; for the caller it is no image.
  }
  return { refused: "type" };
}

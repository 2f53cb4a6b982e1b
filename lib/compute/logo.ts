import sharp from "sharp";
import { logoLimits } from "@/lib/contract/values";
import type { EncodedLogo, LogoRefusal } from "./tasks";

// Logos differ, so nothing is worth keeping; the threads of the pool are the only parallelism.
sharp.cache(false);
sharp.concurrency(1);

// libvips reads some twenty formats. Only these three decoders are open to files from outside.
sharp.block({ operation: ["VipsForeignLoad"] });
sharp.unblock({ operation: ["VipsForeignLoadJpeg", "VipsForeignLoadPng", "VipsForeignLoadWebp"] });

/** Sides to try, largest first: three times what pages and receipts show, then less until the file is small. */
const SIDES_PIXELS = [512, 384, 256, 128];
const ENCODED_BYTES = 128 * 1024;

/** Scales a logo down and writes it anew, without what cameras and programs put beside the pixels: a JPEG as JPEG, all else as PNG. */
export async function encodeLogo(bytes: Uint8Array): Promise<EncodedLogo | LogoRefusal> {
  const { minSide, maxSide } = logoLimits;
  try {
    // Reads the header alone: no pixel is unpacked before the sides are known.
    const { format, width, height } = await sharp(bytes, { limitInputPixels: false }).metadata();
    if ([width, height].some((side) => side < minSide || side > maxSide))
      return { refused: "sides" };
    const photo = format === "jpeg";
    for (const side of SIDES_PIXELS) {
      const scaled = sharp(bytes, { limitInputPixels: maxSide * maxSide, pages: 1 })
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

import { createHash } from "node:crypto";
import { compute } from "@/lib/compute/pool";
import type { ReceiptContent } from "@/lib/compute/tasks";
import type { Business } from "@/lib/contract/business";
import { logoLimits } from "@/lib/contract/values";
import { invalid } from "@/lib/kernel/problem";
import type { Ctx } from "../context";
import { commit } from "../idempotency/commit";
import { hasLive, present } from "./manage";
import { changeBusiness, dropLogo, findLogo, keepEncodedLogo, lockBusiness, putLogo } from "./rows";

const refuse = (text: string) => invalid({ image: [text] });

/** Sets the logo from a file in base64. Throws 422 for what is not a small PNG, JPEG or WebP by its own bytes. */
export async function setLogo(ctx: Ctx, image: string): Promise<Business> {
  const given = Buffer.from(image, "base64");
  const { maxBytes, minSide, maxSide } = logoLimits;
  if (given.length > maxBytes)
    throw refuse(`The image must not be greater than ${maxBytes / 1024} kilobytes.`);
  const encoded = await compute(ctx, "logo", given);
  if ("refused" in encoded)
    throw refuse(
      encoded.refused === "type"
        ? "The image must be a PNG, JPEG or WebP file."
        : `The image must be ${minSide} to ${maxSide} pixels wide and high.`,
    );
  const { type, width, height } = encoded;
  const bytes = Buffer.from(encoded.bytes);
  const digest = createHash("sha256").update(bytes).digest("hex");
  const live = await hasLive(ctx);
  return commit(ctx, async (tx) => {
    await lockBusiness(tx, ctx.businessId);
    await putLogo(tx, { businessId: ctx.businessId, digest, type, bytes });
    return present(
      await changeBusiness(tx, ctx.businessId, { logo: { digest, width, height } }),
      live,
    );
  });
}

/** The logo as a receipt draws it, if there is one. A logo from before logos were encoded at upload is encoded now, once. */
export async function logoToDraw(ctx: Ctx): Promise<ReceiptContent["logo"]> {
  const row = await findLogo(ctx.businessId);
  if (!row) return null;
  const { type, bytes } = row;
  if (row.encoded && type !== "image/webp") return { type, bytes };
  const encoded = await compute(ctx, "logo", bytes);
  if ("refused" in encoded) return null;
  await keepEncodedLogo(ctx.businessId, row.digest, {
    type: encoded.type,
    bytes: Buffer.from(encoded.bytes),
  });
  return encoded;
}

/** Takes the logo away; without one nothing changes. */
export async function removeLogo(ctx: Ctx): Promise<Business> {
  const live = await hasLive(ctx);
  return commit(ctx, async (tx) => {
    await lockBusiness(tx, ctx.businessId);
    await dropLogo(tx, ctx.businessId);
    return present(await changeBusiness(tx, ctx.businessId, { logo: null }), live);
  });
}

import { createHash } from "node:crypto";
import type { Business } from "@/lib/contract/business";
import { logoLimits } from "@/lib/contract/values";
import { imageFacts } from "@/lib/kernel/image";
import { invalid } from "@/lib/kernel/problem";
import type { Ctx } from "../context";
import { commit } from "../idempotency/commit";
import { hasLive, present } from "./manage";
import { changeBusiness, dropLogo, lockBusiness, putLogo } from "./rows";

const refuse = (text: string) => invalid({ image: [text] });

/** Sets the logo from a file in base64. Throws 422 for what is not a small PNG, JPEG or WebP by its own bytes. */
export async function setLogo(ctx: Ctx, image: string): Promise<Business> {
  const bytes = Buffer.from(image, "base64");
  const { bytes: mostBytes, least, most } = logoLimits;
  if (bytes.length > mostBytes)
    throw refuse(`The image must not be greater than ${mostBytes / 1024} kilobytes.`);
  const facts = imageFacts(bytes);
  if (!facts) throw refuse("The image must be a PNG, JPEG or WebP file.");
  const { type, width, height } = facts;
  if ([width, height].some((side) => side < least || side > most))
    throw refuse(`The image must be ${least} to ${most} pixels wide and high.`);
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

/** Takes the logo away; without one nothing changes. */
export async function removeLogo(ctx: Ctx): Promise<Business> {
  const live = await hasLive(ctx);
  return commit(ctx, async (tx) => {
    await lockBusiness(tx, ctx.businessId);
    await dropLogo(tx, ctx.businessId);
    return present(await changeBusiness(tx, ctx.businessId, { logo: null }), live);
  });
}

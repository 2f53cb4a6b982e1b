import type { Logo } from "@/db/schema/businesses";
import { env } from "@/lib/env";

/** A logo as the API answers it: its public address, and its sides in pixels. */
export const logoOut = ({ digest, width, height }: Logo) => ({
  url: `${env.BASE_URL}/logo/${digest}`,
  width,
  height,
});

import { isIP } from "node:net";
import * as z from "zod";

/** A setting: its default, what it is for, and how its text is read. */
export type Setting<T extends z.ZodType> = {
  default: string | null;
  shown?: string;
  help: string;
  expected: string;
  secret?: true;
  schema: T;
};
/** Declares a setting. */
export const setting = <T extends z.ZodType>(definition: Setting<T>) => definition;

/** A whole number. */
export const whole = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/)
    .transform(Number)
    .pipe(z.number().min(min).max(max));
/** A time of keeping; 0 is for ever. */
export const days = (min: number) =>
  whole(0, 36_500).refine((value) => value === 0 || value >= min);
export const yesNo = z
  .enum(["true", "false", "1", "0"])
  .transform((value) => value === "true" || value === "1");
export const oneOf = <const T extends readonly [string, ...string[]]>(values: T) => z.enum(values);
/** An address of mail, with or without a name. */
export const address = /^(?:(.*?)\s*<([^<>\s@]+@[^<>\s@]+)>|([^<>\s@]+@[^<>\s@]+))$/;

export function origin(text: string, ctx: z.RefinementCtx): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/` && url.hostname)
    return url.origin;
  ctx.addIssue({ code: "custom", message: "no origin" });
  return z.NEVER;
}

export function hostAndPort(text: string, ctx: z.RefinementCtx): { host: string; port: number } {
  const [, host = "", digits] = /^(\[[\da-f:.]+\]|[\w.-]+):(\d{1,5})$/i.exec(text) ?? [];
  const port = Number(digits);
  // Under npm start the two ports behind it are used as well.
  if (port >= 1 && port <= 65_533) return { host: host.replace(/^\[(.*)\]$/, "$1"), port };
  ctx.addIssue({ code: "custom", message: "no address" });
  return z.NEVER;
}

export function loopbackOrigin(text: string, ctx: z.RefinementCtx): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (
    url &&
    url.href === `${url.origin}/` &&
    url.protocol === "http:" &&
    ["127.0.0.1", "[::1]", "localhost"].includes(url.hostname)
  )
    return url.origin;
  ctx.addIssue({ code: "custom", message: "no loopback origin" });
  return z.NEVER;
}

/** The contacts as URIs, as RFC 9116 wants them. */
export function contacts(text: string | undefined, ctx: z.RefinementCtx): string[] {
  const list = (text ?? "")
    .split(",")
    .map((entry) => entry.trim())
    .filter(Boolean)
    .map((entry) => (/^[^\s@:/]+@[^\s@]+$/.test(entry) ? `mailto:${entry}` : entry));
  for (const entry of list)
    if (!/^(mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/.test(entry))
      ctx.addIssue({ code: "custom", message: entry });
  return list;
}

export function addresses(text: string | undefined, ctx: z.RefinementCtx): string[] {
  const list = (text ?? "")
    .split(",")
    .map((entry) => entry.trim())
    .filter(Boolean);
  for (const entry of list) {
    const [ip = "", bits, more] = entry.split("/");
    const limit = isIP(ip) === 4 ? 32 : 128;
    if (
      isIP(ip) === 0 ||
      more !== undefined ||
      (bits !== undefined && !(/^\d{1,3}$/.test(bits) && Number(bits) <= limit))
    ) {
      ctx.addIssue({ code: "custom", message: entry });
    }
  }
  return list;
}

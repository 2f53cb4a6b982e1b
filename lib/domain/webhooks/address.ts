import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { env } from "@/lib/env";
import { assertNone, type FieldErrors } from "@/lib/kernel/problem";

// Ports above 1023 that other protocols than HTTP are known by, as browsers list them.
const otherPorts = [
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669,
  6679, 6697, 10080,
];

/** Whether an address is one of the public internet's; what has another meaning inside it (an IPv4 address, a tunnel) is not. */
export function isPublic(address: string): boolean {
  const parsed = ipaddr.parse(address);
  return (
    parsed.range() === "unicast" &&
    (parsed.kind() === "ipv4" || (parsed.toByteArray()[0] ?? 0) >> 5 === 1)
  );
}

/** Why a webhook address is refused, or null. Makes no DNS lookup: names are looked up at every attempt. */
export function objection(url: URL, allowPrivate: boolean): string | null {
  const usual = url.protocol === "https:" ? 443 : 80;
  const port = Number(url.port || usual);
  if ((port < 1024 && port !== usual) || otherPorts.includes(port))
    return "The url must not use this port.";
  if (allowPrivate) return null;
  if (url.protocol !== "https:") return "The url must begin with https.";
  const host = url.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  const local = isIP(host)
    ? !isPublic(host)
    : !host.includes(".") || /\.(localhost|local|internal|home\.arpa)$/.test(host);
  return local ? "The url must not be in a private network." : null;
}

/** What speaks against an endpoint's address, where one is named. */
export function validateAgainstRecords({ url }: { url?: string }): FieldErrors {
  const text = url === undefined ? null : objection(new URL(url), env.WEBHOOK_ALLOW_PRIVATE);
  return text === null ? {} : { url: [text] };
}

/** Throws 422 on `url` for an address webhooks do not go to. */
export const assertAddress = (input: { url?: string }): void =>
  assertNone(validateAgainstRecords(input));

import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** An IP address as text: without brackets, port or zone, IPv4-mapped IPv6 as IPv4. Undefined for anything else. */
export function plainAddress(text: string): string | undefined {
  const bracketed = /^\[([^\]]+)\](?::\d{1,5})?$/.exec(text)?.[1];
  const withPort = /^(\d+\.\d+\.\d+\.\d+):\d{1,5}$/.exec(text)?.[1];
  const bare = (bracketed ?? withPort ?? text).replace(/%.*$/, "");
  return isIP(bare) === 0 ? undefined : ipaddr.process(bare).toString();
}

const translated = ipaddr.parseCIDR("64:ff9b::/96");

/** Names the network that an address is counted by: IPv4 alone, IPv6 by its /64. Undefined for an unknown address. */
export function addressKey(text: string | undefined): string | undefined {
  const plain = text === undefined ? undefined : plainAddress(text);
  if (plain === undefined) return undefined;
  const parsed = ipaddr.parse(plain);
  if (!(parsed instanceof ipaddr.IPv6)) return plain;
  // NAT64 puts all of IPv4 into one /64.
  if (parsed.match(translated)) return parsed.toByteArray().slice(12).join(".");
  const network = parsed.parts.slice(0, 4).map((part) => part.toString(16));
  return `${network.join(":")}::/64`;
}

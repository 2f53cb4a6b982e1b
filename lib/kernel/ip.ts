import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

const MAX_REMEMBERED = 10_000;
/** No address is longer, so that a caller's header cannot fill the memory. */
const MAX_REMEMBERED_LENGTH = 64;

/** Parsing an address takes longer than most of a request's other steps, and the same few addresses call again and again. */
function remembered(parse: (text: string) => string | undefined) {
  const known = new Map<string, string | undefined>();
  return (text: string): string | undefined => {
    if (text.length > MAX_REMEMBERED_LENGTH) return parse(text);
    if (known.has(text)) return known.get(text);
    const result = parse(text);
    if (known.size >= MAX_REMEMBERED) known.clear();
    known.set(text, result);
    return result;
  };
}

/** An IP address as text: without brackets, port or zone, IPv4-mapped IPv6 as IPv4. Undefined for anything else. */
export const plainAddress = remembered((text) => {
  const bracketed = /^\[([^\]]+)\](?::\d{1,5})?$/.exec(text)?.[1];
  const withPort = /^(\d+\.\d+\.\d+\.\d+):\d{1,5}$/.exec(text)?.[1];
  const bare = (bracketed ?? withPort ?? text).replace(/%.*$/, "");
  return isIP(bare) === 0 ? undefined : ipaddr.process(bare).toString();
});

const translated = ipaddr.parseCIDR("64:ff9b::/96");

const networkOf = remembered((text) => {
  const plain = plainAddress(text);
  if (plain === undefined) return undefined;
  const parsed = ipaddr.parse(plain);
  if (!(parsed instanceof ipaddr.IPv6)) return plain;
  // NAT64 puts all of IPv4 into one /64.
  if (parsed.match(translated)) return parsed.toByteArray().slice(12).join(".");
  const network = parsed.parts.slice(0, 4).map((part) => part.toString(16));
  return `${network.join(":")}::/64`;
});

/** Names the network that an address is counted by: IPv4 alone, IPv6 by its /64. Undefined for an unknown address. */
export const addressKey = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : networkOf(text);

import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

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

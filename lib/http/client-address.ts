import { BlockList, isIPv6 } from "node:net";
import { env } from "@/lib/env";
import { plainAddress } from "@/lib/kernel/ip";

let known: { entries: readonly string[]; proxies: BlockList } | undefined;

function trustedProxies(): BlockList {
  const entries = env.TRUSTED_PROXIES;
  if (known?.entries === entries) return known.proxies;
  const proxies = new BlockList();
  for (const entry of entries) {
    const [network = "", bits] = entry.split("/");
    const family = isIPv6(network) ? "ipv6" : "ipv4";
    if (bits === undefined) proxies.addAddress(network, family);
    else proxies.addSubnet(network, Number(bits), family);
  }
  known = { entries, proxies };
  return proxies;
}

/** Whether TRUSTED_PROXIES names this address. */
export function isTrustedProxy(socketAddress: string | undefined): boolean {
  if (env.TRUSTED_PROXIES.length === 0) return false;
  const address = plainAddress(socketAddress ?? "");
  if (address === undefined) return false;
  return trustedProxies().check(address, isIPv6(address) ? "ipv6" : "ipv4");
}

/** The caller's address: the socket's, or behind TRUSTED_PROXIES the last forwarded one that is not such a proxy. */
export function clientAddress(
  socketAddress: string | undefined,
  forwardedFor: string | undefined,
): string {
  let address = plainAddress(socketAddress ?? "");
  if (!isTrustedProxy(address)) return address ?? "unknown";
  const hops = (forwardedFor ?? "")
    .split(",")
    .map((hop) => hop.trim())
    .filter(Boolean);
  while (address !== undefined && isTrustedProxy(address)) {
    const hop = plainAddress(hops.pop() ?? "");
    if (hop === undefined) break;
    address = hop;
  }
  return address ?? "unknown";
}

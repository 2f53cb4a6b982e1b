import { BlockList, isIPv6 } from "node:net";
import { env } from "@/lib/env";

let proxies: BlockList | undefined;

function trusted(address: string): boolean {
  if (!proxies) {
    proxies = new BlockList();
    for (const entry of env.TRUSTED_PROXIES) {
      const [network = "", bits] = entry.split("/");
      const family = isIPv6(network) ? "ipv6" : "ipv4";
      if (bits === undefined) proxies.addAddress(network, family);
      else proxies.addSubnet(network, Number(bits), family);
    }
  }
  return proxies.check(address, isIPv6(address) ? "ipv6" : "ipv4");
}

const plain = (address: string) => address.replace(/^::ffff:(?=\d+\.)/, "");

/** The caller's address: the socket's, or behind TRUSTED_PROXIES the last forwarded one that is not such a proxy. */
export function clientAddress(
  socketAddress: string | undefined,
  forwardedFor: string | undefined,
): string {
  let address = plain(socketAddress ?? "unknown");
  const hops = (forwardedFor ?? "")
    .split(",")
    .map((hop) => plain(hop.trim()))
    .filter(Boolean);
  while (hops.length > 0 && address !== "unknown" && trusted(address))
    address = hops.pop() as string;
  return address;
}

import { Resolver } from "node:dns/promises";
import type { LookupAddress } from "node:dns";
import type { LookupFunction } from "node:net";

/**
 * Looks names up at the name servers themselves. The system's resolver blocks one of a few threads that the whole process shares: a few
 * names with silent servers would block all other names. Neither the hosts file nor search domains count here.
 */
export function lookupAt(servers?: readonly string[], timeout = 2_000): LookupFunction {
  const resolver = new Resolver({ timeout, tries: 2 });
  if (servers) resolver.setServers(servers);
  return (host, options, callback) => {
    void addressesOf(resolver, host).then((found) => {
      const [first] = found;
      if (typeof first === "object")
        callback(null, options.all ? (found as LookupAddress[]) : first.address, first.family);
      else
        callback(
          Object.assign(new Error("the name was not found"), { code: first ?? "ENOTFOUND" }),
          "",
        );
    });
  };
}

/** Its addresses; without any, the reason as the system's look-up names it. */
async function addressesOf(resolver: Resolver, host: string): Promise<LookupAddress[] | [string]> {
  const [four, six] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  const found = [four, six].flatMap((one, at) =>
    one.status === "fulfilled"
      ? one.value.map((address) => ({ address, family: at === 0 ? 4 : 6 }))
      : [],
  );
  if (found.length > 0) return found;
  const codes = [four, six].map((one) =>
    one.status === "rejected" ? (one.reason as NodeJS.ErrnoException).code : undefined,
  );
  return [
    codes.every((code) => code === "ENOTFOUND" || code === "ENODATA" || code === "EBADNAME")
      ? "ENOTFOUND"
      : "EAI_AGAIN",
  ];
}

import dns, { type LookupAddress } from "node:dns";
import type { LookupFunction } from "node:net";

type System = (host: string, done: (error: Error | null, found: LookupAddress[]) => void) => void;

const system: System = (host, done) => dns.lookup(host, { all: true }, done);

/**
 * The system's look-up, one at a time for each name: calls that need the same name share it. Two threads do all look-ups of a process, and a
 * silent name server holds each for many seconds.
 * Ten payers at once would keep a new connection to the database waiting for most of a minute.
 */
export function sharedLookup(ask: System = system): LookupFunction {
  const underWay = new Map<string, Promise<LookupAddress[]>>();
  const find = (host: string) => {
    const known = underWay.get(host);
    if (known) return known;
    const found = new Promise<LookupAddress[]>((resolve, reject) =>
      ask(host, (error, addresses) => (error ? reject(error) : resolve(addresses))),
    ).finally(() => underWay.delete(host));
    underWay.set(host, found);
    return found;
  };
  return (host, { all, family }, callback) => {
    find(host).then(
      (found) => {
        const wanted = found.filter((one) => !family || one.family === Number(family));
        const [first] = wanted;
        if (!first) callback(Object.assign(new Error("no address"), { code: "ENOTFOUND" }), "");
        else if (all) callback(null, wanted);
        else callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, ""),
    );
  };
}

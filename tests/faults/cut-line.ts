import net, { type AddressInfo } from "node:net";
import { connectionOptions } from "@/db/connection";

/** A way to the database that can be cut as a network fails: nothing passes any more, and nothing is closed. */
export type Line = {
  url: string;
  /** Swallows everything from now on, on open connections and on new ones. */
  cut: () => void;
  /** New connections work again; those that were open stay dead. */
  mend: () => void;
  close: () => Promise<void>;
};

/** Opens a TCP line to the database of this address. */
export async function openLine(database: string): Promise<Line> {
  const { host = "", port = 5432, connectionString } = connectionOptions(database);
  const target = connectionString ? new URL(connectionString) : null;
  const sockets = new Set<net.Socket>();
  let alive = true;
  let cuts = 0;
  const server = net.createServer((client) => {
    const far = target
      ? net.connect(Number(target.port || 5432), target.hostname)
      : net.connect(`${host}/.s.PGSQL.${port}`);
    const born = cuts;
    for (const [from, to] of [
      [client, far],
      [far, client],
    ] as const) {
      sockets.add(from);
      from.on("error", () => to.destroy());
      from.on("close", () => to.destroy());
      from.on("data", (bytes) => {
        if (alive && born === cuts) to.write(bytes);
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = target ?? new URL(database);
  url.searchParams.delete("host");
  url.hostname = "127.0.0.1";
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    cut: () => {
      alive = false;
      cuts++;
    },
    mend: () => {
      alive = true;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

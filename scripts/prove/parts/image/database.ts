import { connect, createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import path from "node:path";
import { startCluster, stopCluster } from "@/db/embedded/cluster";

/** A Postgres server of the drill's own, empty, at an address of this machine. */
export type Database = {
  url: string;
  /** Ends all connections and takes no new ones until `comeBack`. */
  goAway: () => void;
  comeBack: () => void;
  stop: () => void;
};

/** Starts one below `folder`. The embedded server listens on a unix socket alone, so connections are passed on to it. */
export async function startDatabase(folder: string): Promise<Database> {
  const { socketDir } = await startCluster(folder);
  const open = new Set<Socket>();
  let isAway = false;
  const server = createServer((outer) => {
    if (isAway) return void outer.destroy();
    const inner = connect(path.join(socketDir, ".s.PGSQL.5432"));
    for (const [one, other] of [
      [outer, inner],
      [inner, outer],
    ] as const) {
      open.add(one);
      one.on("error", () => other.destroy());
      one.on("close", () => open.delete(one));
      one.pipe(other);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const endAll = () => {
    for (const socket of open) socket.destroy();
  };
  return {
    goAway: () => {
      isAway = true;
      endAll();
    },
    comeBack: () => {
      isAway = false;
    },
    url: `postgres://kutip@127.0.0.1:${(server.address() as AddressInfo).port}/kutip`,
    stop: () => {
      server.close();
      endAll();
      stopCluster(folder);
    },
  };
}

import { randomBytes } from "node:crypto";
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { accountFor } from "@/db/embedded/account";
import { type Cluster, startCluster, stopCluster } from "@/db/embedded/cluster";
import { placesIn, prepareFolder } from "@/db/embedded/folder";

type Server = {
  url: string;
  stop: () => void;
  start: () => Promise<Cluster>;
  /** Lets it start as a standby that follows no server. */
  makeStandby: () => void;
};

/** A server with data that `prepare` makes, and a standby that streams from it. Each can be stopped and started. */
export async function primaryAndStandby(
  prepare: (url: string) => Promise<unknown>,
): Promise<{ primary: Server; standby: Server; remove: () => void }> {
  const folder = path.join(os.tmpdir(), `kutip-standby-${randomBytes(6).toString("hex")}`);
  mkdirSync(folder);
  const [first, second] = ["primary", "standby"].map((name) => path.join(folder, name)) as [
    string,
    string,
  ];
  const { url } = await startCluster(first, { settings: lean });
  await prepare(url);
  stopCluster(first);
  copyData(first, second);
  const primary = server(first, await startCluster(first, { settings: lean }), lean);
  const upstream = new URL(primary.url).searchParams.get("host") ?? "";
  const following = { ...lean, primary_conninfo: `host=${upstream} user=kutip` };
  const standby = server(second, await startCluster(second, { settings: following }), following);
  const remove = () => {
    standby.stop();
    primary.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  return { primary, standby, remove };
}

const lean = { shared_buffers: "32MB", max_connections: "50", wal_keep_size: "256MB" };

function server(folder: string, { url }: Cluster, settings: Record<string, string>): Server {
  return {
    url,
    stop: () => stopCluster(folder),
    start: () => startCluster(folder, { settings }),
    makeStandby: () => writeFileSync(path.join(placesIn(folder).cluster, "standby.signal"), ""),
  };
}

// A server that is stopped can be copied as it is.
function copyData(from: string, to: string): void {
  const account = accountFor(placesIn(from).cluster);
  const { cluster } = prepareFolder(to, account);
  cpSync(placesIn(from).cluster, cluster, { recursive: true, preserveTimestamps: true });
  chmodSync(cluster, 0o700);
  writeFileSync(path.join(cluster, "standby.signal"), "");
  const { uid, gid } = account;
  if (uid === undefined || gid === undefined) return;
  for (const name of ["", ...(readdirSync(cluster, { recursive: true }) as string[])])
    chownSync(path.join(cluster, name), uid, gid);
}

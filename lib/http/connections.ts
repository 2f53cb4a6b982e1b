import type { Server } from "node:http";
import type { Socket } from "node:net";
import { addressKey } from "@/lib/kernel/ip";
import { isTrustedProxy } from "./client-address";

type Limits = { perAddress: number; stalledResponseMs: number };
type Waiting = { accepted: string; sinceMs: number };

/**
 * Limits a server's connections to `perAddress` of one address (IPv6 by /64; trusted proxies have no limit). Also resets a connection
 * when its peer accepts no byte of a waiting response for `stalledResponseMs`. The returned function checks all connections;
 * call it periodically with a monotonic clock.
 */
export function watchConnections(server: Server, limits: Limits): (nowMs: number) => void {
  const sockets = new Map<Socket, Waiting | undefined>();
  const counts = new Map<string, number>();

  server.on("connection", (socket: Socket) => {
    const address = addressKey(socket.remoteAddress);
    const counted =
      address !== undefined && limits.perAddress > 0 && !isTrustedProxy(socket.remoteAddress);
    if (counted) {
      const count = counts.get(address) ?? 0;
      if (count >= limits.perAddress) return void socket.destroy();
      counts.set(address, count + 1);
    }
    sockets.set(socket, undefined);
    socket.once("close", () => {
      sockets.delete(socket);
      if (!counted) return;
      const left = (counts.get(address) ?? 1) - 1;
      if (left > 0) counts.set(address, left);
      else counts.delete(address);
    });
  });

  return (nowMs) => {
    for (const [socket, waiting] of sockets) {
      const accepted = acceptedBytes(socket);
      if (accepted === undefined) sockets.set(socket, undefined);
      else if (waiting?.accepted !== accepted) sockets.set(socket, { accepted, sinceMs: nowMs });
      else if (nowMs - waiting.sinceMs >= limits.stalledResponseMs) reset(socket);
    }
  };
}

// A plain close would leave megabytes with the kernel until the peer takes them.
const reset = (socket: Socket) => void socket.resetAndDestroy();

/** Changes whenever the peer accepts bytes; undefined where none wait. A write that is taken in part shows in libuv's queue alone. */
function acceptedBytes(socket: Socket): string | undefined {
  if (socket.writableLength === 0) return undefined;
  const { _handle: handle } = socket as Socket & { _handle?: { writeQueueSize?: number } | null };
  return `${socket.bytesWritten - socket.writableLength} ${handle?.writeQueueSize ?? 0}`;
}

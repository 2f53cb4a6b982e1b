import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { expected, told, waitWhileMoving } from "../proof";
import type { Service } from "../service";
import { call, socketsOf } from "./client";
import { until } from "./network";

const UPGRADES = 10_000;
const AT_ONCE = 500;
const READERS = 100;
// An unread response is reset after 30 s; the rest is room for the check that finds it.
const UNREAD_SECONDS = 45;

/** Upgrade requests and unread responses leave no socket, and health answers other addresses meanwhile. */
export async function sockets(service: Service): Promise<void> {
  const port = Number(new URL(service.url).port);
  await until(service.healthy, 30);
  const upgrade = (protocol: string) => ({
    headers: {
      connection: "Upgrade, HTTP2-Settings",
      upgrade: protocol,
      "http2-settings": "AAMAAABk",
    },
  });
  for (const when of ["before", "after"]) {
    const { status } = await call(service.url, "/api/health", upgrade("h2c"));
    expected(`HTTP/2 upgrade on health, ${when} the first page`, status, 200);
    await call(service.url, "/sign-in");
  }

  const before = socketsOf(port);
  const watch = watchHealth(service, "127.0.0.2");
  const open: Socket[] = [];
  for (let sent = 0; sent < UPGRADES; sent += AT_ONCE)
    open.push(...(await Promise.all(Array.from({ length: AT_ONCE }, () => sendUpgrade(port)))));
  const atMost = socketsOf(port);
  for (const socket of open) socket.destroy();
  await pause(1_000);
  const { asked, failed } = await watch.stop();
  told("upgrade requests of one client", UPGRADES);
  told("sockets of the server while they are open", atMost);
  expected(`health from another address, failed of ${asked}`, failed, 0);
  const left = await waitWhileMoving(
    async () => socketsOf(port),
    (count) => count <= before,
    20,
  );
  told("sockets left behind", Math.max(0, left - before), left <= before);

  const readers = await Promise.all(
    Array.from({ length: READERS }, (_, number) =>
      askWithoutReading(port, `127.0.3.${number + 1}`),
    ),
  );
  const held = socketsOf(port);
  told("answers that are not read", held, held > 0);
  const unread = await waitWhileMoving(
    async () => socketsOf(port),
    (count) => count <= 2,
    UNREAD_SECONDS,
  );
  told("of these open in the end", unread, unread <= 2);
  for (const reader of readers) reader.destroy();
}

function sendUpgrade(port: number): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1" });
    socket.on("error", () => undefined);
    socket.on("close", () => resolve(socket));
    socket.resume();
    socket.write(
      "GET /x HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
      () => resolve(socket),
    );
  });
}

/** Of an address of its own, so that no limit answers instead: more than the kernel keeps for a connection. */
function askWithoutReading(port: number, from: string): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1", localAddress: from });
    socket.on("error", () => undefined);
    socket.pause();
    socket.write("GET /docs/api HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(50), () =>
      resolve(socket),
    );
  });
}

function watchHealth(service: Service, from: string) {
  let over = false;
  let asked = 0;
  let failed = 0;
  const watching = (async () => {
    for (; !over; await pause(200)) {
      asked++;
      const { status } = await call(service.url, "/api/health/live", { from, limitSeconds: 5 });
      if (status !== 200) failed++;
    }
  })();
  return {
    stop: async () => {
      over = true;
      await watching;
      return { asked, failed };
    },
  };
}

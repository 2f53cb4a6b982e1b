import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { startCluster, stopCluster } from "@/db/embedded/cluster";
import { migrateDatabase } from "@/db/migrate";
import { provideEnv } from "@/lib/env";
import { receiveCallback } from "@/lib/http/callback";

export type Install = { settings: Record<string, string>; remove: () => void };

/** A database of the proof's own, migrated, on an embedded server with its ordinary safety settings; this process and its children use it. */
export async function newInstall(): Promise<Install> {
  const folder = mkdtempSync(path.join(os.tmpdir(), "kutip-proof-"));
  const { url } = await startCluster(folder, { settings: { max_connections: "200" } });
  const settings = {
    DATABASE_URL: url,
    KUTIP_SECRET: randomBytes(32).toString("hex"),
    LOG_LEVEL: "fatal",
  };
  provideEnv(settings);
  await migrateDatabase();
  return {
    settings,
    remove: () => {
      stopCluster(folder);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Takes the gateway's callbacks as the server would; answers its origin. */
export async function takeCallbacks(): Promise<string> {
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const [, , , gateway = "", , connection_id = ""] = (request.url ?? "").split("/");
      const headers = new Headers(
        Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
      );
      const asked = new Request(`http://proof${request.url}`, {
        method: "POST",
        headers,
        body: Buffer.concat(parts),
      });
      void Promise.resolve(
        receiveCallback(asked, { params: Promise.resolve({ gateway, connection_id }) }),
      ).then((answer) => response.writeHead(answer.status).end());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  server.unref();
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Starts a built worker as a process of its own. */
export function startWorker(install: Install, settings: Record<string, string> = {}): ChildProcess {
  return spawn(process.execPath, ["build/worker.js"], {
    env: { ...process.env, NODE_ENV: "production", ...install.settings, ...settings },
    stdio: ["ignore", "ignore", "inherit"],
  });
}

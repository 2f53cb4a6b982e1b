import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { endChild } from "./processes";
import { freePort } from "./service";

export const haproxyNeed = { program: "haproxy", package: "haproxy" };

/** HAProxy in front of web processes. */
export type LoadBalancer = {
  url: string;
  /** Waits until it sends requests to the web process at this address. */
  isUp: (address: string) => Promise<void>;
  stop: () => Promise<void>;
};

const CONFIGURATION = "deploy/proxies/haproxy.cfg";

/** Starts it with the configuration that operators get, on a port of its own and in front of these `host:port`. Its files are in `folder`. */
export async function startBalancer(
  folder: string,
  addresses: readonly string[],
): Promise<LoadBalancer> {
  mkdirSync(folder, { recursive: true });
  const port = await freePort();
  const socket = path.join(folder, "haproxy.sock");
  const own = readFileSync(CONFIGURATION, "utf8")
    .replace("/run/haproxy/admin.sock", socket)
    .replace("bind :80", `bind 127.0.0.1:${port}`)
    .replace(/^ +server web\d .*\n?/gm, "");
  const servers = addresses.map((one, at) => `    server web${at} ${one}\n`).join("");
  const file = path.join(folder, "haproxy.cfg");
  writeFileSync(file, `${own.trimEnd()}\n${servers}`);
  const child = spawn("haproxy", ["-db", "-q", "-f", file], {
    env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const isUp = async (one: string) => {
    const server = `web${addresses.indexOf(one)}`;
    while (!(await stateOf(socket, server)).startsWith("UP")) {
      if (child.exitCode !== null) throw new Error("HAProxy does not start");
      await pause(100);
    }
  };
  return { url: `http://127.0.0.1:${port}`, isUp, stop: () => endChild(child, "SIGTERM") };
}

/** What HAProxy says of a server: `UP`, `DOWN` and the like; empty while it does not answer. */
async function stateOf(socket: string, server: string): Promise<string> {
  const text = await new Promise<string>((resolve) => {
    let read = "";
    const line = connect(socket, () => line.end("show stat\n"));
    line.on("data", (part) => (read += String(part)));
    line.on("error", () => resolve(""));
    line.on("close", () => resolve(read));
  });
  const [head = "", ...rows] = text.replace(/^# /, "").split("\n");
  const at = head.split(",").indexOf("status");
  return rows.map((row) => row.split(",")).find((row) => row[1] === server)?.[at] ?? "";
}

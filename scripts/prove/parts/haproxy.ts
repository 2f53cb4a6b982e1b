import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { freePort } from "./service";

export const haproxyNeed = { program: "haproxy", package: "haproxy" };

/** HAProxy in front of web processes. */
export type LoadBalancer = {
  url: string;
  /** Waits until it sends requests to the web process at this port. */
  isUp: (port: number) => Promise<void>;
  stop: () => Promise<void>;
};

const CONFIGURATION = "deploy/proxies/haproxy.cfg";

/** Starts it with the configuration that operators get, on a port of its own and in front of these ports. Its files are in `folder`. */
export async function startBalancer(
  folder: string,
  ports: readonly number[],
): Promise<LoadBalancer> {
  mkdirSync(folder, { recursive: true });
  const port = await freePort();
  const socket = path.join(folder, "haproxy.sock");
  const own = readFileSync(CONFIGURATION, "utf8")
    .replace("maxconn 4096", `maxconn 4096\n    stats socket ${socket} level user`)
    .replace("bind :80", `bind 127.0.0.1:${port}`)
    .replace(/^ +server web\d .*\n?/gm, "");
  const servers = ports.map((one) => `    server web${one} 127.0.0.1:${one}\n`).join("");
  const file = path.join(folder, "haproxy.cfg");
  writeFileSync(file, `${own.trimEnd()}\n${servers}`);
  const child = spawn("haproxy", ["-db", "-q", "-f", file], {
    env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const isUp = async (one: number) => {
    while (!(await stateOf(socket, `web${one}`)).startsWith("UP")) {
      if (child.exitCode !== null) throw new Error("HAProxy does not start");
      await pause(100);
    }
  };
  return { url: `http://127.0.0.1:${port}`, isUp, stop: () => stop(child) };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  await gone;
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

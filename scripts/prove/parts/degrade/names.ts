import { spawnSync } from "node:child_process";
import { createSocket } from "node:dgram";
import { lookup } from "node:dns/promises";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { sharedLookup } from "@/lib/gateways/shared-lookup";
import type { OnClose } from "../drill-parts";
import { chargesOf } from "../failover/shop";
import { until } from "../patroni/cluster";
import { expected, told } from "../proof";
import { tellAnswers } from "./callers";
import { openScene, type Scene } from "./scene";

const GATEWAY = "localhost";
/** A name that the hosts file knows all the time. */
const ELSEWHERE = "elsewhere";
const WELL_SECONDS = 15;
const AWAY_SECONDS = 40;
const PAYERS = 12;
/** A sign-in hashes a password in the pool of threads that look names up too. */
const MOST_SIGN_IN_SECONDS = 5;
/** The longest pause of a gateway that fails, and the machine's own delay: docs/operations/high-availability.md. */
const BACK_SECONDS = 120 + 15;
const PATIENCE_SECONDS = 300;

/** The gateway's name cannot be looked up: first the name server keeps silent, then it refuses. */
export async function names(folder: string, onClose: OnClose): Promise<void> {
  const book = ownNames(folder);
  const scene = await openScene(folder, onClose, {
    gatewayHost: GATEWAY,
    renewals: 2 * (WELL_SECONDS + AWAY_SECONDS + BACK_SECONDS),
  });
  await pause(WELL_SECONDS * 1_000);
  const charges = chargesOf(scene.trade.shop).length;
  told(`charges in ${WELL_SECONDS} s before it`, charges, charges > 0);
  const server = createSocket("udp4");
  await new Promise<void>((resolve) => server.bind(53, "127.0.0.1", resolve));
  await withoutNames("silent", book, scene);
  await othersWait(book);
  server.close();
  await withoutNames("refuses", book, scene);
  await scene.trade.close();
}

async function withoutNames(what: string, book: Names, { peer, trade }: Scene): Promise<void> {
  const called = `name server ${what}`;
  const links = [...trade.callers.links.keys()].slice(-PAYERS);
  book.forget();
  // Open connections need no name.
  const { origin } = peer;
  await peer.stop();
  await peer.start(Number(new URL(origin).port));
  peer.origin = origin;
  const tally = trade.callers.next();
  const charged = chargesOf(trade.shop).length;
  const signIns = startSignIns(trade.url);
  const presses = links.map((id) => press(trade.url, id));
  const asked = performance.now();
  const failed = await lookup(GATEWAY).then(
    () => "none",
    (error: NodeJS.ErrnoException) => error.code,
  );
  const seconds = ((performance.now() - asked) / 1_000).toFixed(1);
  told(`${called}: a look-up's error, after seconds`, `${failed}, ${seconds}`, failed !== "none");
  await Promise.all(presses);
  await pause(AWAY_SECONDS * 1_000);
  const slowest = await signIns.stop();
  told(
    `${called}: slowest of ${slowest.count} sign-ins, seconds`,
    slowest.seconds.toFixed(1),
    slowest.seconds <= MOST_SIGN_IN_SECONDS,
  );
  expected(`${called}: charges meanwhile`, chargesOf(trade.shop).length - charged, 0);
  const kinds = ["create", "get", "list", "pay page", "live", "ready"] as const;
  tellAnswers(called, tally, kinds, { only: ["200"], mostSeconds: MOST_SIGN_IN_SECONDS });
  trade.callers.next();
  book.know();
  const back = performance.now();
  await until(
    "charge",
    PATIENCE_SECONDS,
    async () => chargesOf(trade.shop).length > charged || undefined,
  );
  const first = (performance.now() - back) / 1_000;
  told(`${called}: seconds to the first charge after it`, first.toFixed(1), first <= BACK_SECONDS);
}

/** How long another name waits while payers need the gateway's: all in one look-up, and each in its own. */
async function othersWait(book: Names): Promise<void> {
  book.forget();
  const ask = promisify(sharedLookup());
  const shared = await secondsBeside(() => ask(GATEWAY, {}));
  const each = await secondsBeside(() => lookup(GATEWAY));
  book.know();
  told(
    `seconds that another name waits, of ${PAYERS} calls one look-up`,
    shared.toFixed(1),
    shared < 1,
  );
  told("seconds with a look-up for each call", each.toFixed(1), each > MOST_SIGN_IN_SECONDS);
}

/** Seconds that a known name takes beside look-ups of an unknown one. */
async function secondsBeside(unknown: () => Promise<unknown>): Promise<number> {
  const calls = Array.from({ length: PAYERS }, () => unknown().catch(() => undefined));
  const began = performance.now();
  await lookup(ELSEWHERE);
  const seconds = (performance.now() - began) / 1_000;
  await Promise.all(calls);
  return seconds;
}

type Names = { know: () => void; forget: () => void };

/** Hosts file of this drill's mounts, which knows the gateway at first, and its name server: whatever listens on port 53 of the loopback. */
function ownNames(folder: string): Names {
  const files = {
    "/etc/hosts": path.join(folder, "hosts"),
    "/etc/resolv.conf": path.join(folder, "resolv.conf"),
    "/etc/nsswitch.conf": path.join(folder, "nsswitch.conf"),
  };
  const keep = (...names: string[]) =>
    writeFileSync(files["/etc/hosts"], `127.0.0.1 ${names.join(" ")}\n`);
  const know = () => keep(GATEWAY, ELSEWHERE);
  know();
  writeFileSync(files["/etc/resolv.conf"], "nameserver 127.0.0.1\n");
  writeFileSync(files["/etc/nsswitch.conf"], "hosts: files dns\npasswd: files\ngroup: files\n");
  for (const [usual, own] of Object.entries(files)) {
    const { status, stderr } = spawnSync("mount", ["--bind", own, usual], { encoding: "utf8" });
    if (status !== 0) throw new Error(`mount ${usual}: ${stderr}`);
  }
  return { know, forget: () => keep(ELSEWHERE) };
}

/** A payer who presses pay; whatever comes of it. */
const press = (url: string, id: string) =>
  fetch(`${url}/pay`, {
    method: "POST",
    redirect: "manual",
    body: new URLSearchParams({ id, version: "1" }),
  }).then(
    (answer) => answer.arrayBuffer(),
    () => undefined,
  );

/** Sign-ins with a wrong password, twice a second. */
function startSignIns(url: string): { stop: () => Promise<{ count: number; seconds: number }> } {
  let isRunning = true;
  let [count, seconds] = [0, 0];
  const all = (async () => {
    while (isRunning) {
      const began = performance.now();
      const answer = await fetch(`${url}/api/auth/sign-in/email`, {
        method: "POST",
        headers: { origin: url, "content-type": "application/json" },
        body: JSON.stringify({ email: "stranger@example.com", password: "no password at all" }),
      });
      await answer.arrayBuffer();
      count++;
      seconds = Math.max(seconds, (performance.now() - began) / 1_000);
      await pause(500);
    }
  })();
  return {
    stop: async () => {
      isRunning = false;
      await all;
      return { count, seconds };
    },
  };
}

import { setTimeout as pause } from "node:timers/promises";
import { type Process, processOf } from "../processes";
import type { Disturbance } from "./disturbances";

const PATIENCE_SECONDS = 180;
const WATCH_MS = 500;
const RESTART_MS = 1_000;
const WHETHER = [() => true, () => false] as const;

/** A web or worker process of the install. */
export type Member = {
  name: string;
  entry: "server" | "worker";
  process: Process;
  /** Waits until it serves again after its start. */
  isBack?: () => Promise<void>;
};

/** Starts processes that end, as systemd does. */
export type Supervisor = {
  /** Ends a process and returns when it runs and serves again. */
  replace: (member: Member, end: (process: Process) => Promise<void>) => Promise<void>;
  /** Names of processes that ended though nothing had ended them. */
  ended: string[];
  stop: () => void;
};

export function supervise(members: readonly Member[]): Supervisor {
  const busy = new Set<Member>();
  const ended: string[] = [];
  const startAgain = async ({ name, process, isBack }: Member) => {
    while (!(await process.start().then(...WHETHER))) {
      ended.push(`${name}, while it started`);
      await pause(RESTART_MS);
    }
    await isBack?.();
  };
  const replace: Supervisor["replace"] = async (member, end) => {
    busy.add(member);
    const replaced = end(member.process).then(() => startAgain(member));
    await Promise.race([replaced, refuseLate(member)]);
    busy.delete(member);
  };
  const timer = setInterval(() => {
    for (const member of members) {
      if (busy.has(member) || member.process.pid() !== undefined) continue;
      ended.push(member.name);
      void replace(member, async () => undefined).catch(console.error);
    }
  }, WATCH_MS);
  return { replace, ended, stop: () => clearInterval(timer) };
}

async function refuseLate({ name }: Member): Promise<never> {
  await pause(PATIENCE_SECONDS * 1_000, undefined, { ref: false });
  throw new Error(`${name} is not back within ${PATIENCE_SECONDS} s`);
}

/** Each process is killed, or stopped in order, and started again; while it is to be kept, the other one of its kind. */
export function processEnds(
  members: readonly Member[],
  { replace }: Supervisor,
  isKept: (member: Member) => boolean,
): Disturbance[] {
  return members.flatMap((member) => {
    const other = members.find(({ name, entry }) => entry === member.entry && name !== member.name);
    const chosen = () => (isKept(member) && other ? other : member);
    const ways = {
      killed: ({ kill }: Process) => kill(),
      "stopped in order": ({ stop }: Process) => stop(),
    };
    const kind = member.entry === "server" ? "web" : "worker";
    return Object.entries(ways).map(([way, end]) => ({
      name: `${kind} process ${way}`,
      run: () => replace(chosen(), end),
    }));
  });
}

/** Starts a member of the install. Its output goes to the file `log`. */
export async function startMember(
  name: string,
  entry: Member["entry"],
  settings: Record<string, string>,
  { log, enter, isBack }: { log: string; enter?: readonly string[]; isBack?: Member["isBack"] },
  onClose: (clean: () => unknown) => void,
): Promise<Member> {
  const process = processOf(entry, settings, { log, ...(enter ? { enter } : {}) });
  onClose(() => process.kill());
  await process.start();
  await isBack?.();
  return { name, entry, process, ...(isBack ? { isBack } : {}) };
}

import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { projectRoot } from "@/db/embedded/project";
import { childEnv, givenTexts } from "@/lib/env";
import { counter, gauge } from "@/lib/kernel/metrics";

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
const STEADY_MS = 10_000;

const starts = counter("kutip_child_starts_total", "Starts of a process by its supervisor.", [
  "child",
]);
const isUp = gauge("kutip_child_up", "1 while the supervisor's process runs.", ["child"]);

export type Command = {
  name: string;
  args: string[];
  mode: "production" | "development";
  /** Loaded before anything else. */
  preload?: string;
  env?: Record<string, string>;
  /** Brings the environment up to date that the process gets. */
  beforeStart?: () => void;
};

/** How a process is asked whether it still works; not at all while it is being developed. */
export type Watch = {
  /** `id` is new with every start. The process gets it as its last argument. */
  answers: (id: string) => Promise<boolean>;
  everyMs?: number;
  /** How often in a row it may fail to answer. */
  misses?: number;
  /** How long it may take until its first answer. */
  startMs?: number;
};

const asked = ({ answers }: Watch, id: string): Promise<boolean> => answers(id).catch(() => false);

/** A process that runs, with the id that its watch asks by. */
export type Running = { child: ChildProcess; id: string };

/**
 * Starts a program before its settings are complete. It loads meanwhile, and waits for them in `awaitSettings`; `Child.start` sends them. An end
 * before that is not noticed here.
 */
export function startAhead(command: Command): Running {
  const running = run(command, true, { KUTIP_STARTED_AHEAD: "true" });
  running.child.on("error", () => undefined);
  return running;
}

/** What the supervisor finds out while it opens the database. */
const LATER = [
  "DATABASE_URL",
  "KUTIP_DATA_DIR",
  "KUTIP_SECRET",
  "KUTIP_SECRET_PREVIOUS",
  "DRAIN_SECONDS",
] as const;
export type LaterSettings = Record<(typeof LATER)[number], string>;

function run(command: Command, isWatched: boolean, more: Record<string, string> = {}): Running {
  const id = randomUUID();
  const preload = command.preload ?? path.join(projectRoot, "build/child.js");
  // The end of the channel tells the child that the supervisor is gone, even when that was killed.
  const child = spawn(
    process.execPath,
    ["--import", preload, ...command.args, ...(isWatched ? [id] : [])],
    {
      cwd: projectRoot,
      env: childEnv({
        NODE_ENV: command.mode,
        NEXT_TELEMETRY_DISABLED: "1",
        ...command.env,
        ...more,
      }),
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    },
  );
  return { child, id };
}

const isAlive = ({ connected, exitCode, signalCode }: ChildProcess): boolean =>
  connected && exitCode === null && signalCode === null;

/** A process of the install. It is restarted when it ends unasked, after a pause that grows while it keeps failing. */
export class Child {
  #running: Running | undefined;
  #timer: NodeJS.Timeout | undefined;
  #stopping = false;
  /** How often in a row it ended within ten seconds. */
  failures = 0;

  constructor(
    private readonly command: Command,
    private readonly say: (text: string) => void,
    private readonly watch?: Watch,
  ) {}

  get pid(): number | undefined {
    return this.#running?.child.pid;
  }

  /** Whether it runs and answers; one that is not watched is not asked. */
  async answers(): Promise<boolean> {
    const running = this.#running;
    return running !== undefined && (!this.watch || (await asked(this.watch, running.id)));
  }

  /** Starts the process, or lets the one go on that was started ahead. */
  start(ahead?: Running): void {
    const began = performance.now();
    let silent = false;
    const ended = (reason: string) => {
      this.#running = undefined;
      isUp.set({ child: this.command.name }, 0);
      if (this.#stopping) return;
      // One that hangs each time may have lived for long.
      this.failures = !silent && performance.now() - began > STEADY_MS ? 1 : this.failures + 1;
      const wait = Math.min(FIRST_PAUSE_MS * 2 ** (this.failures - 1), LONGEST_PAUSE_MS);
      this.say(`${this.command.name} ${reason}, starting it again in ${wait / 1000} s`);
      this.#timer = setTimeout(() => this.start(), wait);
    };
    const waiting = ahead && isAlive(ahead.child) ? ahead : undefined;
    let running: Running;
    try {
      this.command.beforeStart?.();
      running = waiting ?? run(this.command, this.watch !== undefined);
    } catch (error) {
      waiting?.child.kill("SIGKILL");
      ended(`cannot be started (${(error as Error).message})`);
      return;
    }
    const { child } = running;
    waiting?.child.send(givenTexts(LATER), () => undefined);
    this.#running = running;
    starts.inc({ child: this.command.name });
    isUp.set({ child: this.command.name }, 1);
    if (this.watch)
      void this.#endWhenSilent(this.watch, running, () => {
        silent = true;
      });
    child.on("error", ({ message }) => {
      // A process that was never made does not exit.
      if (child.pid === undefined) ended(`cannot be started (${message})`);
      else this.say(`${this.command.name}: ${message}`);
    });
    child.once("exit", (code, signal) => ended(`ended (${signal ?? `code ${code}`})`));
  }

  async #endWhenSilent(watch: Watch, running: Running, ending: () => void): Promise<void> {
    const { everyMs = 5_000, misses = 4, startMs = 120_000 } = watch;
    const began = performance.now();
    let answered = false;
    for (let missed = 0; missed < misses; ) {
      await pause(everyMs, undefined, { ref: false });
      if (this.#running !== running || this.#stopping) return;
      if (await asked(watch, running.id)) {
        answered = true;
        missed = 0;
      } else if (answered || performance.now() - began > startMs) missed++;
    }
    if (this.#running !== running || this.#stopping) return;
    this.say(`${this.command.name} lives but does not answer, ending it`);
    ending();
    running.child.kill("SIGKILL");
  }

  /** Asks it to finish its work; kills it after `graceMs`. Resolves when it is gone. */
  async stop(graceMs: number): Promise<void> {
    this.#stopping = true;
    clearTimeout(this.#timer);
    const child = this.#running?.child;
    if (child?.pid === undefined) return;
    const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    const killer = setTimeout(() => child.kill("SIGKILL"), graceMs);
    child.kill("SIGTERM");
    await gone;
    clearTimeout(killer);
  }
}

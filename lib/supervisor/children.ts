import { type ChildProcess, spawn } from "node:child_process";
import path from "node:path";
import { projectRoot } from "@/db/embedded/project";
import { childEnv } from "@/lib/env";

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
const STEADY_MS = 10_000;

type Command = { name: string; args: string[]; mode: "production" | "development" };

/** A process of the install that is started again when it ends by itself, after a pause that grows while it keeps failing. */
export class Child {
  #process: ChildProcess | undefined;
  #timer: NodeJS.Timeout | undefined;
  #stopping = false;
  /** How often in a row it ended within ten seconds. */
  failures = 0;

  constructor(
    private readonly command: Command,
    private readonly say: (text: string) => void,
  ) {}

  start(): void {
    const began = Date.now();
    // The channel carries no messages: its end tells the child that the supervisor is gone, even when that was killed.
    const child = spawn(
      process.execPath,
      [
        "--enable-source-maps",
        "--import",
        path.join(projectRoot, "build/child.js"),
        ...this.command.args,
      ],
      {
        cwd: projectRoot,
        env: childEnv({ NODE_ENV: this.command.mode, NEXT_TELEMETRY_DISABLED: "1" }),
        stdio: ["ignore", "inherit", "inherit", "ipc"],
      },
    );
    this.#process = child;
    child.on("error", (error) =>
      this.say(`${this.command.name} cannot be started: ${error.message}`),
    );
    child.once("exit", (code, signal) => {
      this.#process = undefined;
      if (this.#stopping) return;
      this.failures = Date.now() - began > STEADY_MS ? 1 : this.failures + 1;
      const wait = Math.min(FIRST_PAUSE_MS * 2 ** (this.failures - 1), LONGEST_PAUSE_MS);
      this.say(
        `${this.command.name} ended (${signal ?? `code ${code}`}), starting it again in ${wait / 1000} s`,
      );
      this.#timer = setTimeout(() => this.start(), wait);
    });
  }

  /** Asks it to finish what it has begun; kills it after `graceMs`. Answers when it is gone. */
  async stop(graceMs: number): Promise<void> {
    this.#stopping = true;
    clearTimeout(this.#timer);
    const child = this.#process;
    if (!child) return;
    const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    const killer = setTimeout(() => child.kill("SIGKILL"), graceMs);
    child.kill("SIGTERM");
    await gone;
    clearTimeout(killer);
  }
}

import { type ChildProcess, spawn } from "node:child_process";
import path from "node:path";
import { projectRoot } from "@/db/embedded/project";
import { Refusal } from "@/db/embedded/refusal";
import { childEnv, env } from "@/lib/env";
import type { FirstRun } from "./demo";
import type { Install } from "./open-database";

/** What the person who starts an install asks for. */
export type Wishes = { demo: boolean; backupTaken: boolean };

/** An open database, and where it is. */
export type Order = {
  install: Install;
  settings: { DATABASE_URL: string; KUTIP_DATA_DIR: string };
};

/** What was done: migrations, and of a first start the demo business or the code of the setup page. */
export type Prepared = { upgradedBy: number; demo: FirstRun | null; setup: string | null };

const PROGRAM = [
  "--import",
  path.join(projectRoot, "build/child.js"),
  path.join(projectRoot, "build/prepare.js"),
];

/**
 * The preparation of an install, in a process of its own: what it loads is not kept by the supervisor, which only watches from then on.
 */
export class Preparation {
  readonly #process: ChildProcess;
  readonly #ended: Promise<{ prepared: Prepared | undefined; signal: string | null }>;

  constructor(wishes: Wishes, program: readonly string[] = PROGRAM) {
    this.#process = spawn(process.execPath, [...program, JSON.stringify(wishes)], {
      cwd: projectRoot,
      env: childEnv(),
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    this.#ended = new Promise((resolve, reject) => {
      let prepared: Prepared | undefined;
      this.#process.once("message", (told) => {
        prepared = told as Prepared;
      });
      this.#process.once("error", reject);
      this.#process.once("close", (_, signal) => resolve({ prepared, signal }));
    });
    this.#ended.catch(() => undefined);
  }

  /** Prepares this install. Returns undefined where it cannot be: the process has said why. */
  async of(install: Install): Promise<Prepared | undefined> {
    const { DATABASE_URL = "", KUTIP_DATA_DIR = "" } = env;
    const order: Order = { install, settings: { DATABASE_URL, KUTIP_DATA_DIR } };
    this.#process.send(order, () => undefined);
    const { prepared, signal } = await this.#ended;
    if (signal) throw new Refusal(`the preparation of the database was ended by ${signal}`);
    return prepared;
  }

  /** Ends it before it was asked for anything. */
  cancel(): void {
    this.#process.kill("SIGKILL");
  }
}

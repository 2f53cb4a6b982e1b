import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { advisoryKeys } from "@/db/advisory-keys";
import { connectionOptions, directUrl } from "@/db/connection";
import { startCluster } from "@/db/embedded/cluster";
import { Refusal } from "@/db/embedded/refusal";

/**
 * Holds the embedded database for one supervisor: a second one on the same data folder is refused, and a server that
 * ends unasked is restarted. The lock is a session's, so it ends with the process that holds it, however that ends.
 */
export class SupervisorLock {
  #client: pg.Client | undefined;
  #over = false;

  constructor(
    private readonly folder: string,
    private readonly say: (text: string) => void,
  ) {}

  /** Takes the lock; throws a Refusal naming the process that has it. */
  async take(): Promise<void> {
    const client = new pg.Client({
      ...connectionOptions(directUrl()),
      application_name: `kutip supervisor ${process.pid}`,
      keepAlive: true,
    });
    client.on("error", () => undefined);
    await client.connect();
    const { rows } = await client.query<{ taken: boolean }>(
      "select pg_try_advisory_lock($1) as taken",
      [advisoryKeys.supervisor],
    );
    if (!rows[0]?.taken) {
      const { rows: others } = await client.query<{ application_name: string }>(
        "select application_name from pg_stat_activity where application_name like 'kutip supervisor %' and pid <> pg_backend_pid() limit 1",
      );
      await client.end();
      const pid = others[0]?.application_name.split(" ")[2];
      throw new Refusal(
        `Kutip already runs on ${this.folder}${pid ? ` (process ${pid})` : ""}: stop it first, or set KUTIP_DATA_DIR to another folder`,
      );
    }
    this.#client = client;
    client.on("end", () => void this.#regain());
  }

  /** Lets the lock go; the server is not watched any more. */
  async release(): Promise<void> {
    this.#over = true;
    await this.#client?.end().catch(() => undefined);
  }

  async #regain(): Promise<void> {
    if (this.#over) return;
    this.say("the database's connection ended");
    for (let attempt = 0; !this.#over; attempt++) {
      // Usually another process is restarting it. Start it only when that fails.
      await pause(500);
      try {
        if (attempt >= 3) await startCluster(this.folder);
        await this.take();
        this.say("the database is back");
        return;
      } catch (error) {
        if (attempt % 20 === 7)
          this.say(`the database does not come back: ${(error as Error).message}`);
      }
    }
  }
}

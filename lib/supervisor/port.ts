import { createServer } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { Refusal } from "@/db/embedded/refusal";

const PATIENCE_MS = 6_000;

/** Makes sure that we may listen there. Waits a moment for a predecessor that is ending; throws a Refusal that says what to do. */
export async function claimPort(host: string, port: number): Promise<void> {
  for (let waited = 0; ; waited += 200) {
    const code = await tryListen(host, port);
    if (!code) return;
    if (code === "EACCES")
      throw new Refusal(`port ${port} may not be opened by this user: set PORT to 1024 or more`);
    if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND")
      throw new Refusal(
        `${host} is no address of this machine: set HOST to one, or to 0.0.0.0 for all`,
      );
    if (waited >= PATIENCE_MS)
      throw new Refusal(
        `port ${port} is taken: stop what listens there (another Kutip?), or set PORT`,
      );
    await pause(200);
  }
}

function tryListen(host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen(port, host, () => server.close(() => resolve(null)));
  });
}

import { pendingMigrations } from "@/db/migrate";
import { unscopedWorkState } from "@/lib/worker/rows";
import { log } from "@/lib/kernel/log";

const workerMissingSeconds = 20;
const lateSeconds = 60;

type Part = "ok" | "down" | "late";

/** Readiness: database, migrations, worker. 503 when one is down or the oldest due job is late; in public no more than that. */
export async function health(): Promise<Response> {
  const parts: { database: Part; migrations: Part; worker: Part } = {
    database: "down",
    migrations: "down",
    worker: "down",
  };
  try {
    parts.migrations = (await pendingMigrations()) === 0 ? "ok" : "down";
    parts.database = "ok";
    const work = await unscopedWorkState();
    parts.worker =
      work.seenSecondsAgo === null || work.seenSecondsAgo > workerMissingSeconds
        ? "down"
        : work.lateSeconds > lateSeconds
          ? "late"
          : "ok";
  } catch (error) {
    log.warn({ err: error }, "not ready");
  }
  const ok = Object.values(parts).every((part) => part === "ok");
  return Response.json(
    { status: ok ? "ok" : "unavailable", ...parts },
    {
      status: ok ? 200 : 503,
      headers: {
        "cache-control": "no-store",
        "x-content-type-options": "nosniff",
        ...(ok ? {} : { "retry-after": "2" }),
      },
    },
  );
}

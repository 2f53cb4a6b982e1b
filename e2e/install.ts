import { readFileSync } from "node:fs";
import path from "node:path";
import { closePool } from "@/db/client";
import { urlFor } from "@/db/embedded/cluster";
import { placesIn } from "@/db/embedded/folder";
import { postmasterOf } from "@/db/embedded/postmaster";
import { provideEnv } from "@/lib/env";

/** A running install as the tests reach it: over HTTP, and over its database where a record cannot be made otherwise. */
export type Install = { url: string; folder: string; database: string; secret: string };

/** The install in a data folder. `database` and `secret` are given where they are not the folder's own. */
export function installOf(
  url: string,
  folder: string,
  given: { database?: string; secret?: string } = {},
): Install {
  const places = placesIn(folder);
  const secret = given.secret ?? readFileSync(places.secret, "utf8").trim();
  if (given.database) return { url, folder, database: given.database, secret };
  const postmaster = postmasterOf(places.cluster);
  if (postmaster.state !== "alive") throw new Error(`no Postgres runs in ${folder}`);
  return { url, folder, database: urlFor(postmaster.socketDir), secret };
}

/** The install the runner has started for all browser tests. */
export function sharedInstall(): Install {
  const { E2E_URL, E2E_DATA_DIR, E2E_DATABASE_URL } = process.env;
  if (!E2E_URL || !E2E_DATA_DIR)
    throw new Error("run the browser tests with npm test: it starts the install they use");
  return installOf(E2E_URL, path.resolve(E2E_DATA_DIR), {
    database: E2E_DATABASE_URL || undefined,
  });
}

let joined: string | undefined;

/** From here on, domain code in this process works on that install's database. All installs of a run have one secret. */
export async function join(install: Install): Promise<void> {
  if (joined === install.database) return;
  await leave();
  joined = install.database;
  provideEnv({
    BASE_URL: install.url,
    DATABASE_URL: install.database,
    KUTIP_SECRET: install.secret,
    LOG_LEVEL: "silent",
  });
}

/** Lets go of the install that was joined, before it is stopped. */
export async function leave(): Promise<void> {
  if (joined) await closePool();
  joined = undefined;
}

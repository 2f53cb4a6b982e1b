import { longWork } from "@/db/client";
import { isGiven, provideEnv } from "@/lib/env";
import {
  closeInstall,
  completeInstall,
  type Install,
  openDatabase,
} from "@/lib/supervisor/install";
import { keptAddress } from "@/lib/supervisor/running";
import type { OlderDatabase } from "@/lib/supervisor/upgrade";

/**
 * Runs an operator's command on the install: beside a running server, or on a database started for it and stopped afterwards. `older` says
 * what to do with a database of an older version; "open" leaves any database as it is found, without the secret.
 */
export async function withInstall<T>(
  body: (install: Install) => Promise<T>,
  older: OlderDatabase | "open" = "refuse",
): Promise<T> {
  const install = await openDatabase();
  // Addresses in answers are those of the install that runs, whatever PORT its start was given.
  const address = isGiven("BASE_URL", "PORT") ? undefined : keptAddress(install.places.running);
  if (address) provideEnv({ BASE_URL: address });
  try {
    if (older !== "open") await completeInstall(install, older);
    return await longWork(() => body(install));
  } finally {
    await closeInstall(install);
  }
}

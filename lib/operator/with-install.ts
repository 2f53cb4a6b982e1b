import { longWork } from "@/db/client";
import { isOlder } from "@/db/upgrade";
import { env, provideEnv } from "@/lib/env";
import { closeInstall, completeInstall } from "@/lib/supervisor/install";
import { type Install, openDatabase } from "@/lib/supervisor/open-database";
import { registerProcess } from "@/lib/supervisor/registration";
import { addressOfInstall } from "@/lib/supervisor/running";
import type { OlderDatabase } from "@/lib/supervisor/upgrade";

/**
 * Runs an operator's command on the install: beside a running server, or on a database started for it and stopped afterwards. `older` says
 * what to do with a database that lacks migrations; "open" leaves any database as it is found, without the secret.
 */
export async function withInstall<T>(
  body: (install: Install) => Promise<T>,
  older: OlderDatabase | "open" = "refuse",
): Promise<T> {
  const install = await openDatabase();
  // Addresses in answers are those of the install that runs.
  const address = addressOfInstall(install.places.running);
  if (address !== env.BASE_URL) provideEnv({ BASE_URL: address });
  try {
    const leave = older === "open" ? undefined : await join(install, older);
    try {
      return await longWork(() => body(install));
    } finally {
      await leave?.();
    }
  } finally {
    await closeInstall(install);
  }
}

/** Completes the install and registers the command as a process; not on a database that is left at an older version. */
async function join(
  install: Install,
  older: OlderDatabase,
): Promise<(() => Promise<void>) | undefined> {
  await completeInstall(install, older);
  if (older === "keep" && (await isOlder())) return undefined;
  return registerProcess("command", install.places.secret);
}

import { closeInstall, completeInstall, type Install, openDatabase } from "@/lib/supervisor/install";

/** Runs an operator's command on the install: beside a running server, or on a database started for it and stopped afterwards. */
export async function withInstall<T>(body: (install: Install) => Promise<T>, complete = true): Promise<T> {
  const install = await openDatabase();
  try {
    if (complete) await completeInstall(install);
    return await body(install);
  } finally {
    await closeInstall(install);
  }
}

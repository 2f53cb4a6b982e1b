import { closePool } from "@/db/client";
import { provideEnv } from "@/lib/env";
import { makeDemo } from "@/lib/supervisor/demo";
import { offerSetup } from "@/lib/domain/accounts/setup";
import { completeInstall } from "@/lib/supervisor/install";
import type { Order, Prepared, Wishes } from "@/lib/supervisor/preparation";
import { registerProcess } from "@/lib/supervisor/registration";
import { explain } from "./explain";
import { physicalBackup } from "./physical-backup";

// The process that prepares an install for its supervisor: it waits for the open database, says what it did, and ends.

// A signal to the whole group does not stop it halfway: its supervisor waits for it.
for (const name of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(name, () => undefined);
process.channel?.ref();
process.once("message", (order) => {
  void prepare(order as Order, JSON.parse(process.argv[2] ?? "") as Wishes)
    .then(tell, explain)
    .then((code) => process.exit(code));
});

const tell = (prepared: Prepared): Promise<number> =>
  new Promise((resolve) => process.send?.(prepared, () => resolve(0)));

async function prepare({ install, settings }: Order, wishes: Wishes): Promise<Prepared> {
  provideEnv(settings);
  try {
    const older = wishes.backupTaken ? "upgrade" : physicalBackup;
    const upgradedBy = await completeInstall(install, older);
    const leave = await registerProcess("command", install.places.secret);
    try {
      const demo = wishes.demo ? await makeDemo(install.places.firstRun) : null;
      return { upgradedBy, demo, setup: await offerSetup() };
    } finally {
      await leave();
    }
  } finally {
    await closePool();
  }
}

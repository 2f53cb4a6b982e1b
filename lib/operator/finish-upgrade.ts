import { Refusal, SAME_COMMAND } from "@/db/embedded/refusal";
import { completeInstall } from "@/lib/supervisor/install";
import type { Install } from "@/lib/supervisor/open-database";
import { note } from "./usage";

const FINISH = "run npm run -s kutip -- migrate --backup-taken";

/** Upgrades a database that is filled and committed. Where that fails the same command would be refused, so another one is named. */
export async function finishUpgrade(
  install: Install,
  filled: "imported" | "restored",
): Promise<void> {
  const state = `everything is ${filled}, and the upgrade is not finished`;
  try {
    await completeInstall(install, "upgrade");
  } catch (error) {
    if (!(error instanceof Refusal)) {
      note(`${state}: correct the cause, then ${FINISH}`);
      throw error;
    }
    const { message } = error;
    throw new Refusal(
      message.includes(SAME_COMMAND)
        ? `${state}: ${message.replace(SAME_COMMAND, FINISH)}`
        : `${state}: ${message}, then ${FINISH}`,
    );
  }
}

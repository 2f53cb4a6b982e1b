import type { Mode } from "@/lib/contract/values";
import type { Endpoint } from "@/lib/contract/endpoint";
import { Problem } from "@/lib/kernel/problem";
import { sessionOf } from "./session-cookie";

/** Throws 403 where a sensitive endpoint of the sign-in library is called with a session that is not proven. Without a session the library decides. */
export async function assertRecentProofOf(request: Request): Promise<void> {
  const session = await sessionOf(request);
  if (session) assertRecentProof(session);
}

/** Whether a call of signed-in staff needs a recent proof of who they are. `body` is the valid body. */
export function isSensitive(endpoint: Endpoint, mode: Mode, body: unknown): boolean {
  switch (endpoint.reauthenticate) {
    case undefined:
      return false;
    case "always":
      return true;
    case "live":
      return mode === "live";
    case "manages": {
      const { role } = body as { role?: unknown };
      return role === "owner" || role === "admin";
    }
    case "address": {
      const { url, chat_url: chat } = body as { url?: unknown; chat_url?: unknown };
      // A chat gets what happens in live mode, whatever the mode of the page that sets it.
      return typeof chat === "string" || (mode === "live" && typeof url === "string");
    }
  }
}

/** Throws 403 unless the session was signed in to, or its person proven again, within the last minutes. */
export function assertRecentProof({ recentProof }: { recentProof: boolean }): void {
  if (!recentProof)
    throw new Problem(403, "reauthentication_required", "Confirm that it is you, then try again.");
}

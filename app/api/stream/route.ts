import { streamChanges } from "@/lib/contract/stream";
import { defineFileRoute } from "@/lib/http/define-file-route";
import { liveChanges } from "@/lib/http/live";

export const GET = defineFileRoute(
  streamChanges,
  async ({ ctx, limitBy, stillAllowed, search, headers }) => ({
    body: liveChanges(
      ctx,
      limitBy,
      stillAllowed,
      headers.has("last-event-id") ? null : search.get("since"),
    ),
  }),
);

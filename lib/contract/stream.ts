import * as z from "zod";
import { endpoint } from "./endpoint";
import { Id } from "./fields";

/** What a message of the stream holds: that something happened, not what; whoever shows it asks again. */
export const StreamMessage = z.object({ type: z.string(), object_id: Id }).meta({ id: "StreamMessage" });
export type StreamMessage = z.output<typeof StreamMessage>;

/** Events that are not told live: making these is a program's hot path, and a notice would cost every call. The trigger in db/schema/changes.sql knows them too. */
export const silentTypes = ["payment_link.created", "tokenization.created"] as const;

export const streamChanges = endpoint({
  id: "streamChanges", method: "GET", path: "/stream", tag: "Live", access: "staff", media: "text/event-stream", summary: "What happens, as it happens", response: z.string(),
  description:
    "Server-sent events, each unnamed with `data` `{type, object_id}`; `event: ready` once changes are told from then on, also after an interruption: ask again then. Business and mode stand in the query.",
});

import * as z from "zod";
import { endpoint } from "./endpoint";

/** What a message of the stream holds: that something happened, not what; whoever shows it asks again. */
export type StreamMessage = { type: string; object_id: string };

export const streamChanges = endpoint({
  id: "streamChanges",
  method: "GET",
  path: "/stream",
  tag: "Live",
  access: "staff",
  media: "text/event-stream",
  summary: "What happens, as it happens",
  response: z.string(),
  description:
    "Server-sent events, each unnamed with `data` `{type, object_id}`; `event: ready` once changes are told from then on, also after an interruption: ask again then. Business and mode stand in the query.",
});

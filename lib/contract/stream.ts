import * as z from "zod";
import { endpoint } from "./endpoint";

/** A message says that something happened, not what: screens fetch again. */
export type StreamMessage = {
  type: string;
  object_id: string;
  /** Of an import that is being created, with the type `import.progress`. */
  progress?: { done: number; total: number } | undefined;
};

/** With `ready`: whether the stream began at the position that its address named. */
export type StreamReady = { complete?: true };

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
    'Server-sent events, each unnamed with `data` `{type, object_id}`. The type `access.changed` says that your own role in the business has changed. While an import is created, events with the type `import.progress` also have `progress`. `event: ready` comes when changes are received from then on, also after an interruption. Fetch again then, unless its data is `{"complete":true}`: the stream began at the position that the query names in `since`. The query names business and mode.',
});

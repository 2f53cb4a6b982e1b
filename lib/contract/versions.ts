import * as z from "zod";
import type { Endpoint } from "./endpoint";
import { Failure } from "./envelope";
import { Timestamp } from "./fields";
import { actorKinds } from "./values";

/** In answers: which edit of the record this is. */
export const VersionOut = z.int().meta({
  id: "Version",
  description:
    "Counts the edits of the record's editable fields. Send it back with a write, and the write is refused if the record was edited in between.",
  examples: [7],
});

/** In a write: the version that the change is based on. */
export const SeenVersion = z.int().min(1).optional().meta({
  description:
    "The `version` that this change is based on; the header `If-Match` says the same. If the record has another version by now, the answer is 409 `stale_version`. Without either nothing is compared.",
});

/** The body of a verb that takes nothing else. */
export const SeenVersionBody = z
  .object({ version: SeenVersion })
  .meta({ id: "SeenVersionBody", examples: [{}] });

/** Who did something, by name. */
export const NamedActor = z.object({ kind: z.enum(actorKinds), name: z.string() }).meta({
  description:
    "Who did it: an API key or a person by name, the payer, the gateway, the clock (time passed) or the operator.",
});
export type NamedActor = z.output<typeof NamedActor>;

/** The record of which a write may name the version. */
export const versionedRecord = ({ versioned, response }: Endpoint): z.ZodType =>
  versioned === undefined || versioned === true ? response : versioned;

/** The 409 of a write that is based on an older version. */
export const staleVersion = <T extends z.ZodType>(record: T) =>
  Failure.extend({
    code: z.literal("stale_version"),
    current: record,
    changed_by: NamedActor.nullable().describe(
      "Who made the last edit; null when there was none since the record was created.",
    ),
    changed_at: Timestamp.nullable().describe("When the last edit was made."),
  }).meta({ id: undefined, examples: undefined });

import * as z from "zod";
import { endpoint } from "./endpoint";
import { Id, Timestamp } from "./fields";
import { streamChanges } from "./stream";
import { versionedKinds } from "./values";
import { NamedActor, VersionOut } from "./versions";

export const LastEdit = z.object({
  version: VersionOut,
  changed_by: NamedActor.nullable(),
  changed_at: Timestamp.nullable(),
  deleted: z.boolean().meta({ description: "The record was deleted, and this is who did it." }),
});
export type LastEdit = z.output<typeof LastEdit>;

export const getLastEdit = endpoint({
  id: "getLastEdit",
  method: "GET",
  path: "/last-edit",
  tag: streamChanges.tag,
  access: "staff",
  summary: "Who edited a record last",
  query: z.object({
    kind: z.enum(versionedKinds),
    id: Id.optional().describe("The business itself needs none."),
  }),
  response: LastEdit,
  missing: "There is no such record in this business and mode.",
  description:
    "The version of a record with who made it and when; both are null before the first edit.",
});

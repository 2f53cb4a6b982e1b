import * as z from "zod";
import { endpoint } from "./endpoint";
import { Timestamp } from "./fields";
import { workKinds } from "./values";

export type WorkKind = (typeof workKinds)[number];

export const WorkState = z
  .object({
    workers: z
      .array(
        z.object({
          started_at: Timestamp,
          seen_at: Timestamp,
          at_work: z.boolean().meta({ description: "Seen within the last 15 seconds." }),
        }),
      )
      .meta({
        description: "The processes that do the work of the whole install, the newest first.",
      }),
    work: z
      .array(
        z.object({
          kind: z.enum(workKinds),
          planned: z.int().meta({ description: "What has its time still before it." }),
          due: z.int().meta({ description: "What a worker does next, or does just now." }),
          oldest_due_at: Timestamp.nullable(),
          next_at: Timestamp.nullable().meta({
            description: "When the next of what is planned comes due.",
          }),
        }),
      )
      .meta({ description: "Of this business and mode." }),
    exhausted: z
      .object({ webhook_deliveries: z.int(), mails: z.int() })
      .meta({ description: "What failed on its last try, of this business and mode." }),
  })
  .meta({
    id: "WorkState",
    examples: [
      {
        workers: [
          {
            started_at: "2026-11-20T08:00:01.120045Z",
            seen_at: "2026-11-20T13:34:45.423258Z",
            at_work: true,
          },
        ],
        work: [
          {
            kind: "webhooks",
            planned: 2,
            due: 0,
            oldest_due_at: null,
            next_at: "2026-11-20T13:39:45.423258Z",
          },
        ],
        exhausted: { webhook_deliveries: 1, mails: 0 },
      },
    ],
  });
export type WorkState = z.output<typeof WorkState>;

export const getWork = endpoint({
  id: "getWork",
  method: "GET",
  path: "/work",
  tag: "Background work",
  access: "staff",
  summary: "Get background work",
  response: WorkState,
});

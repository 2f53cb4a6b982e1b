import type * as z from "zod";
import type { ZodOpenApiObject, ZodOpenApiParameterObject } from "zod-openapi";
import { eventShapes, TEST_EVENT_TYPE } from "@/lib/contract/events";
import { webhookLimits } from "@/lib/contract/values";

const header = (name: string, description: string, example: string): ZodOpenApiParameterObject => ({
  name,
  in: "header",
  required: true,
  description,
  schema: { type: "string" },
  example,
});

const signed = [
  header("webhook-id", "The event's `_id`, the same at every attempt.", "6740f5d59e3c6f70b2d81a46"),
  header("webhook-timestamp", "The second of this attempt, since 1970.", "1795786865"),
  header(
    "webhook-signature",
    "One signature, or up to three while a secret is rotated, by Standard Webhooks 1.0.",
    "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
  ),
];

const camel = (type: string) =>
  type.replace(/[._](\w)/g, (_, letter: string) => letter.toUpperCase());

type Webhooks = NonNullable<ZodOpenApiObject["webhooks"]>;

/** Each type of event as it is sent to webhook endpoints. */
export const webhooks: Webhooks = Object.fromEntries(
  eventShapes.flatMap((shape) =>
    shape.shape.type.options.map((type): [string, Webhooks[string]] => [
      type,
      {
        post: {
          operationId: `on${camel(`.${type}`)}`,
          tags: ["Webhooks"],
          summary: type,
          description:
            type === TEST_EVENT_TYPE
              ? "What `testWebhookEndpoint` sends. It is tried once."
              : `Sent to every webhook endpoint that receives \`${type}\`. The same event can come twice: keep the ids that you know.`,
          security: [],
          requestParams: {},
          parameters: signed,
          requestBody: {
            required: true,
            content: { "application/json": { schema: shape, example: exampleOf(shape, type) } },
          },
          responses: {
            "2XX": {
              description: `The event is taken. Answer within ${webhookLimits.seconds} seconds.`,
            },
            "410": { description: "The address is gone: the endpoint is disabled." },
          },
        },
      },
    ]),
  ),
);

function exampleOf(shape: (typeof eventShapes)[number], type: string): Record<string, unknown> {
  return {
    _id: "6740f5d59e3c6f70b2d81a46",
    type,
    mode: "test",
    created_at: "2026-11-20T13:41:05.902177Z",
    data: (shape.shape.data as z.ZodType).meta()?.examples?.[0],
  };
}

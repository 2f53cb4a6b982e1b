import * as z from "zod";
import { describe, expect, test } from "vitest";
import { staffEndpoints } from "./all";
import { endpoints } from "./programs";

/** The names of all text fields in an answer, however deep. */
function textFields(schema: z.ZodType): string[] {
  if (schema instanceof z.ZodObject)
    return Object.entries(schema.shape as Record<string, z.ZodType>).flatMap(([name, field]) =>
      field instanceof z.ZodString ? [name] : textFields(field),
    );
  if (schema instanceof z.ZodArray) return textFields(schema.element as z.ZodType);
  if (schema instanceof z.ZodUnion)
    return (schema.options as readonly z.ZodType[]).flatMap(textFields);
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional)
    return textFields(schema.unwrap() as z.ZodType);
  return [];
}

// A payer's token is a bearer secret too. It is kept and replayed, because the business copies its address again.
const isSecret = (name: string) => /^(?:key|secret|password)$|_(?:key|secret|password)$/.test(name);

/** Whether the answer is a link that holds a secret in its fragment. */
const showsLink = (response: z.ZodType) =>
  /https?:[^"]*#/.test(JSON.stringify(response.meta()?.examples ?? []));

describe.each(
  [...endpoints, ...staffEndpoints].map((endpoint) => [endpoint.id, endpoint] as const),
)("%s", (_, { response, showsSecret }) => {
  test("declares whether its answer shows a secret", () => {
    expect(textFields(response).some(isSecret) || showsLink(response)).toBe(showsSecret === true);
  });
});

test("some do", () => {
  const declared = [...endpoints, ...staffEndpoints].filter(({ showsSecret }) => showsSecret);
  expect(declared.map(({ id }) => id).sort()).toEqual([
    "copyInvitationLink",
    "createApiKey",
    "createIntegration",
    "createWebhookEndpoint",
    "getSigningSecret",
    "renewIntegrationPassword",
    "replaceIntegrationKeys",
    "rollApiKey",
    "rollSigningSecret",
    "rotateWebhookEndpoint",
  ]);
});

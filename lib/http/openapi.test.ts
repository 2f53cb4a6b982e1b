import * as z from "zod";
import { describe, expect, test } from "vitest";
import { GET } from "@/app/api/openapi.json/route";
import { programFiles } from "@/lib/contract/all";
import { eventShapes, TEST_EVENT_TYPE } from "@/lib/contract/events";
import { commonFailures, failuresOf } from "@/lib/contract/failures";
import { endpoints } from "@/lib/contract/programs";
import { exampleAnswer, exampleBody, exampleParams } from "@/lib/contract/examples";
import { envelope } from "@/lib/contract/envelope";
import { numbersKeptAsText } from "@/lib/contract/fields";
import { check } from "@/lib/contract/messages";
import { tags } from "@/lib/contract/tags";
import { eventTypes } from "@/lib/contract/values";
import { buildOpenApi } from "@/lib/http/openapi";
import { redocly, spectral } from "@/tests/openapi-lint.mjs";

const document = buildOpenApi();

/** As an install at a public address serves it: both linters refuse localhost. */
const published = (text: string) =>
  text.replaceAll("http://localhost:3000", "https://pay.kutip.test");

// The linters take many seconds on a busy machine.
const patience = 120_000;

type Named = {
  name: string;
  in: string;
  description?: string;
  required?: boolean;
  example?: unknown;
  schema: object;
};
type Operation = {
  operationId: string;
  parameters?: Named[];
  responses: Record<string, { $ref?: string; content?: Record<string, unknown> }>;
};
const operations = Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
  Object.entries(item as Record<string, Operation>).map(
    ([method, operation]) => [method.toUpperCase(), path, operation] as const,
  ),
);
const schemas = document.components?.schemas as unknown as Record<
  string,
  { properties: Record<string, Record<string, unknown>>; [key: string]: unknown }
>;

describe("the OpenAPI document", () => {
  test("is served as JSON, and the recommended rules of two linters find nothing", {
    timeout: patience,
  }, async () => {
    const response = await GET(new Request("http://localhost:3000/api/openapi.json"), {});
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    expect(response.headers.get("cache-control")).toBe("no-store");
    const text = published(await response.text());
    expect(await redocly(text)).toEqual([]);
    expect(await spectral(text)).toEqual([]);
  });

  test("is really looked at: an example against its schema is found", {
    timeout: patience,
  }, async () => {
    const broken = structuredClone(document) as unknown as {
      components: { schemas: { PaymentLink: { properties: { paid: unknown } } } };
    };
    broken.components.schemas.PaymentLink.properties.paid = { type: "integer" };
    const text = published(JSON.stringify(broken));
    expect((await redocly(text)).join("\n")).toContain("no-invalid-media-type-examples");
    expect((await spectral(text)).join("\n")).toContain("oas3-valid-media-example");
  });

  test("promises no mail that an install without a mail server would not send", () => {
    expect(document.info.description).toContain("where the install has a mail server");
    expect(JSON.stringify(document)).not.toMatch(
      /gets? an? (?:receipt by )?e-?mail|(?:is|are) (?:e-)?mailed|, by mail/,
    );
  });

  test("every text field that is said to take a number too is one whose digits are kept", () => {
    const schemas = Object.entries(document.components?.schemas ?? {}) as [
      string,
      { type?: unknown; properties?: Record<string, unknown> },
    ][];
    const [either, inPlace] = [JSON.stringify(["string", "number"]), '"type":["string","number"]'];
    const marks = [
      inPlace,
      ...schemas
        .filter(([, { type }]) => JSON.stringify(type) === either)
        .map(([name]) => `"#/components/schemas/${name}"`),
    ];
    const fields = schemas.flatMap(([, { properties = {} }]) =>
      Object.entries(properties).filter(([, field]) =>
        marks.some((mark) => JSON.stringify(field).includes(mark)),
      ),
    );
    expect([...new Set(fields.map(([name]) => name))].sort()).toEqual(
      [...numbersKeptAsText].sort(),
    );
  });

  test("names this install as the server", () => {
    expect(document.servers).toEqual([{ url: "http://localhost:3000/api" }]);
    expect(JSON.stringify(document)).not.toContain("pay.example");
  });

  test("lists every endpoint once, with its id, and nothing else", () => {
    const listed = operations.map(
      ([method, path, { operationId }]) => `${method} ${path} ${operationId}`,
    );
    expect(listed.sort()).toEqual(
      [...endpoints, ...programFiles]
        .map(({ method, path, id }) => `${method} ${path} ${id}`)
        .sort(),
    );
    expect(new Set(endpoints.map(({ id }) => id)).size).toBe(endpoints.length);
  });

  test("says which file each endpoint of a file returns", () => {
    expect(programFiles.map(({ media }) => media)).toContain("image/png");
    for (const { id, media = "" } of programFiles) {
      const [, , operation] = operations.find(([, , { operationId }]) => operationId === id) ?? [];
      expect(Object.keys(operation?.responses["200"]?.content ?? {}), id).toEqual([media]);
    }
  });

  test("fills in no optional parameter: tools that import it would send what it says", () => {
    const optional = operations.flatMap(([, path, { parameters = [] }]) =>
      parameters.filter(({ required }) => !required).map((parameter) => ({ path, parameter })),
    );
    expect(optional.length).toBeGreaterThan(100);
    const filled = optional.filter(({ parameter }) =>
      /"(example|\$ref)/.test(JSON.stringify(parameter)),
    );
    expect(filled).toEqual([]);
  });

  test("describes every event as a webhook, with the data of its type", () => {
    const webhooks = document.webhooks as unknown as Record<
      string,
      { post: { requestBody: { content: { "application/json": { schema: { $ref: string } } } } } }
    >;
    expect(Object.keys(webhooks).sort()).toEqual([...eventTypes, TEST_EVENT_TYPE].sort());
    for (const [type, { post }] of Object.entries(webhooks)) {
      const name = post.requestBody.content["application/json"].schema.$ref.split("/").at(-1) ?? "";
      expect(
        schemas[name]?.properties.type?.enum ?? [schemas[name]?.properties.type?.const],
      ).toContain(type);
    }
    expect(schemas.Event?.discriminator).toMatchObject({
      propertyName: "type",
      mapping: {
        "payment_link.paid": "#/components/schemas/PaymentLinkEvent",
        "refund.failed": "#/components/schemas/RefundEvent",
        [TEST_EVENT_TYPE]: "#/components/schemas/WebhookTestEvent",
      },
    });
    expect(schemas.Event?.oneOf).toHaveLength(eventShapes.length);
  });

  test("names every code that a call can meet, and no other", () => {
    const met = [...[...endpoints, ...programFiles].flatMap(failuresOf), ...commonFailures];
    const named = schemas.Failure?.properties.code?.enum as string[];
    expect([...named].sort()).toEqual([...new Set(met.map(({ code }) => code))].sort());
  });

  test.each([
    ["/payment-links", "Part of the title, e-mail address or a reference, or an id."],
    ["/payments", "Part of the title or reference, the payer's whole e-mail address, or an id."],
    ["/packages", "Part of the name, or an id."],
    ["/subscriptions", "Part of the e-mail address or of the package's name, or an id."],
    ["/tokenizations", "Part of the title or e-mail address, or an id."],
    ["/customers", "Part of the name, phone number or e-mail address, or an id."],
  ])("says what a search of %s reads", (list, what) => {
    const found = operations.find(([method, path]) => method === "GET" && path === list);
    const q = found?.[2].parameters?.find(({ name }) => name === "q");
    expect(JSON.stringify(q)).toContain(what);
  });

  test("has a 405 at every address", () => {
    for (const [, path, { responses }] of operations)
      expect(responses["405"], path).toEqual({ $ref: "#/components/responses/MethodNotAllowed" });
  });

  test("says what is refused: a type of event twice, and a replay without a beginning", () => {
    const { WebhookEndpointInput, WebhookReplay } = schemas;
    expect(WebhookEndpointInput?.properties.events).toMatchObject({ uniqueItems: true });
    expect(WebhookReplay?.anyOf).toEqual([{ required: ["from"] }, { required: ["after"] }]);
  });

  test("has a text for every group of endpoints", () => {
    expect(tags.map(({ name }) => name).sort()).toEqual(
      [...new Set(endpoints.map(({ tag }) => tag))].sort(),
    );
  });
});

describe.each(endpoints.map((endpoint) => [endpoint.id, endpoint] as const))(
  "%s",
  (_, endpoint) => {
    test("has examples that its own schemas accept", () => {
      if (endpoint.body)
        expect(check(endpoint.body, exampleBody(endpoint))).toMatchObject({ ok: true });
      if (endpoint.params)
        expect(check(endpoint.params, exampleParams(endpoint))).toMatchObject({ ok: true });
      const strict = envelope(endpoint.response).safeParse(exampleAnswer(endpoint));
      expect(strict.error && z.prettifyError(strict.error)).toBeUndefined();
    });
  },
);

import { createConfig, lintFromString } from "@redocly/openapi-core";
import * as z from "zod";
import { describe, expect, test } from "vitest";
import { GET } from "@/app/api/openapi.json/route";
import { endpoints } from "@/lib/contract/programs";
import { exampleAnswer, exampleBody, exampleParams } from "@/lib/contract/examples";
import { envelope } from "@/lib/contract/envelope";
import { numbersKeptAsText } from "@/lib/contract/fields";
import { check } from "@/lib/contract/messages";
import { tags } from "@/lib/contract/tags";
import { buildOpenApi } from "@/lib/http/openapi";

const document = buildOpenApi();

const lint = async (source: string) => {
  const config = await createConfig({
    extends: ["recommended-strict"],
    rules: { "no-server-example.com": "off", "operation-4xx-response": "error" },
  });
  const problems = await lintFromString({ source, absoluteRef: "openapi.json", config });
  return problems
    .filter(({ ignored }) => !ignored)
    .map(({ ruleId, message, location }) => `${ruleId}: ${message} at ${location[0]?.pointer}`);
};

// The linter takes seconds on a busy machine.
const patience = 60_000;

describe("the OpenAPI document", () => {
  test("is served as JSON with the linter finding nothing", { timeout: patience }, async () => {
    const response = await GET(new Request("http://localhost:3000/api/openapi.json"), {});
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    expect(await lint(await response.text())).toEqual([]);
  });

  test("is really looked at: an example against its schema is found", {
    timeout: patience,
  }, async () => {
    const broken = structuredClone(document) as unknown as {
      components: { schemas: { PaymentLink: { properties: { paid: unknown } } } };
    };
    broken.components.schemas.PaymentLink.properties.paid = { type: "integer" };
    expect((await lint(JSON.stringify(broken))).join("\n")).toContain(
      "no-invalid-media-type-examples",
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
    const listed = Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
      Object.entries(item as Record<string, { operationId: string }>).map(
        ([method, { operationId }]) => `${method.toUpperCase()} ${path} ${operationId}`,
      ),
    );
    expect(listed.sort()).toEqual(
      endpoints.map(({ method, path, id }) => `${method} ${path} ${id}`).sort(),
    );
    expect(new Set(endpoints.map(({ id }) => id)).size).toBe(endpoints.length);
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

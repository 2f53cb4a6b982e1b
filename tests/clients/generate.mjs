// node --import ./tests/clients/typescript-5.mjs tests/clients/generate.mjs DOCUMENT FOLDER: generates both clients.
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createClient } from "@hey-api/openapi-ts";
import openapiTypescript, { astToString } from "openapi-typescript";

const [input = "", folder = ""] = process.argv.slice(2);
const types = await openapiTypescript(JSON.parse(readFileSync(input, "utf8")));
writeFileSync(path.join(folder, "schema.ts"), astToString(types));
await createClient({
  input,
  output: { path: path.join(folder, "hey-api") },
  plugins: ["@hey-api/client-fetch", "@hey-api/typescript", "@hey-api/sdk"],
  logs: { level: "silent" },
});

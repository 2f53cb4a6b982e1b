// Spectral's packages are CommonJS, and their types are not needed here.
import spectralCore from "@stoplight/spectral-core";
import rulesets from "@stoplight/spectral-rulesets";
import { createConfig, lintFromString } from "@redocly/openapi-core";

/** What Redocly's recommended rules find in a document. All of their warnings count as errors. */
export async function redocly(source) {
  const config = await createConfig({ extends: ["recommended-strict"] });
  const problems = await lintFromString({ source, absoluteRef: "openapi.json", config });
  return problems.map(
    ({ ruleId, message, location }) => `${ruleId}: ${message} at ${location[0]?.pointer}`,
  );
}

/** What Spectral's recommended rules for OpenAPI find in a document, warnings included. */
export async function spectral(source) {
  const spectral = new spectralCore.Spectral();
  spectral.setRuleset({ extends: [[rulesets.oas, "recommended"]], rules: {} });
  const problems = await spectral.run(source);
  return problems.map(({ code, message, path }) => `${code}: ${message} at ${path.join("/")}`);
}

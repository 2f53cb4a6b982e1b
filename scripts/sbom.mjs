// What an install runs, from the lockfile: build/sbom.cdx.json (CycloneDX) and build/licences.txt. Build and test tools are left out.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { root } from "./stamp.mjs";

const sbom = execFileSync(
  "npm",
  ["sbom", "--sbom-format=cyclonedx", "--omit=dev", "--package-lock-only"],
  { cwd: root, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 },
);
const { components } = JSON.parse(sbom);
const licenceOf = ({ licenses = [] }) =>
  licenses.map(({ expression, license }) => expression ?? license.id ?? license.name).join(", ") ||
  "not named in the lockfile";
const byLicence = Map.groupBy(components, licenceOf);
const list = [...byLicence]
  .sort(([a], [b]) => (a < b ? -1 : 1))
  .map(([licence, packages]) =>
    [
      licence,
      ...packages
        .map(({ group, name, version }) => `  ${group ? `${group}/` : ""}${name} ${version}`)
        .sort(),
    ].join("\n"),
  )
  .join("\n\n");

const out = path.join(root, "build");
mkdirSync(out, { recursive: true });
writeFileSync(path.join(out, "sbom.cdx.json"), sbom);
writeFileSync(path.join(out, "licences.txt"), `${list}\n`);
console.log(`build/sbom.cdx.json and build/licences.txt: ${components.length} packages`);

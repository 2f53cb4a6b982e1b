import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { parse, parseAllDocuments } from "yaml";

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type Fields = { [key: string]: Json };

export const readText = (file: string): string => readFileSync(path.join("deploy", file), "utf8");

/** A Compose file, with its anchors and merge keys resolved. */
export const readCompose = (): Fields => parse(readText("compose.yaml"), { merge: true }) as Fields;

/** The manifests of a kustomization's resources, in order. */
export function readManifests(): Fields[] {
  const { resources } = parse(readText("kubernetes/kustomization.yaml")) as { resources: string[] };
  return resources.flatMap((file) =>
    parseAllDocuments(readText(`kubernetes/${file}`)).map((one) => one.toJS() as Fields),
  );
}

/** All files below `deploy/`, by their paths from there. */
export const deployFiles = (): string[] =>
  readdirSync("deploy", { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative("deploy", path.join(entry.parentPath, entry.name)));

/** The value at a path of keys and positions such as `spec.containers.0.image`; undefined where it ends. */
export function at(value: Json | undefined, keys: string): Json | undefined {
  return keys
    .split(".")
    .reduce<Json | undefined>(
      (inner, key) =>
        typeof inner === "object" && inner !== null
          ? (inner as Record<string, Json>)[key]
          : undefined,
      value,
    );
}

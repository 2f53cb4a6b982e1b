import type { Endpoint } from "./endpoint";

const isEndpoint = (value: unknown): value is Endpoint =>
  typeof value === "object" && value !== null && "method" in value && "path" in value;

// A module hands out its exports by the alphabet; people read create, list, get, update, delete, then what else can be done.
const order = ({ method, params, path }: Endpoint) =>
  params
    ? 2 + path.split("}/").length * 4 + ["GET", "PUT", "DELETE", "POST"].indexOf(method)
    : method === "POST"
      ? 0
      : 1;

/** The endpoints of these modules, in the order in which people read them. */
export const declaredIn = (nouns: readonly object[]): readonly Endpoint[] =>
  nouns.flatMap((noun) =>
    Object.values(noun)
      .filter(isEndpoint)
      .sort((a, b) => order(a) - order(b)),
  );

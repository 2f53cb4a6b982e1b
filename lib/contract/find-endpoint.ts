import { fileEndpoints, staffEndpoints } from "./all";
import { endpoints } from "./programs";
import type { Endpoint } from "./endpoint";

const patterns = [...endpoints, ...staffEndpoints, ...fileEndpoints]
  .flatMap((endpoint) =>
    [endpoint.path, endpoint.formerPath ?? []].flat().map((path) => ({
      endpoint,
      expression: new RegExp(`^${path.replace(/[.]/g, "\\.").replace(/\{\w+\}/g, "[^/]+")}$`),
      parameters: path.split("{").length - 1,
    })),
  )
  // A fixed segment wins over a parameter, as in routing.
  .sort((a, b) => a.parameters - b.parameters);

/** The declaration of a call by its method and its path below `/api`; undefined for addresses that no endpoint declares. */
export function findEndpoint(method: string, path: string): Endpoint | undefined {
  const asked = method === "HEAD" ? "GET" : method;
  return patterns.find(
    ({ endpoint, expression }) => endpoint.method === asked && expression.test(path),
  )?.endpoint;
}

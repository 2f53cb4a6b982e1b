import * as z from "zod";
import { expect, test } from "vitest";
import { staffEndpoints } from "./all";
import { endpoints } from "./programs";

const lists = [...endpoints, ...staffEndpoints].filter(
  ({ query }) => query instanceof z.ZodObject && "sort" in query.shape,
);

test.each(lists.map((endpoint) => [endpoint.id, endpoint] as const))(
  "%s promises no other order than its own, which is newest first",
  (_, { summary, description = "" }) => {
    expect(`${summary} ${description}`).not.toMatch(/oldest first/i);
  },
);

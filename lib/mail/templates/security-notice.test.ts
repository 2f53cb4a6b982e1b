import { expect, test } from "vitest";
import { fileEndpoints, staffEndpoints } from "@/lib/contract/all";
import { endpoints } from "@/lib/contract/programs";
import { hasNotice } from "./security-notice";

const sensitive = [...endpoints, ...staffEndpoints, ...fileEndpoints].filter(
  ({ reauthenticate }) => reauthenticate !== undefined,
);

test.each(sensitive.map(({ id }) => id))("the notice of %s says what was done", (id) => {
  expect(hasNotice(id)).toBe(true);
});

import * as z from "zod";
import { describe, expect, test } from "vitest";
import { fileEndpoints, staffEndpoints } from "./all";
import { endpoints } from "./programs";
import { label } from "./field-label";
import { check } from "./messages";

const inputs = [...endpoints, ...staffEndpoints, ...fileEndpoints].flatMap(({ id, query, body }) =>
  [query, body].flatMap((schema) => (schema instanceof z.ZodObject ? [{ id, schema }] : [])),
);

/** Whether a field takes days or moments: it takes one that exists and refuses one that does not, in its words. */
function kindOf(schema: z.ZodObject, field: string): "day" | "moment" | undefined {
  const refused = (value: string) => {
    const checked = check(schema, { [field]: value });
    return checked.ok ? undefined : checked.errors[field]?.join();
  };
  if (refused("2990-02-30") !== `The ${label([field])} is not a valid date.`) return undefined;
  return refused("2990-01-30") === undefined ? "day" : "moment";
}

// Filters only compare, and programs write "always" as the first or last day there is.
const compared = ["created_from", "created_to", "succeeded_from", "succeeded_to"];
const dated = inputs.flatMap(({ id, schema }) =>
  Object.keys(schema.shape).flatMap((field) => {
    const kind = compared.includes(field) ? undefined : kindOf(schema, field);
    return kind ? [{ id, schema, field, kind }] : [];
  }),
);

test("every field that takes a day or a moment is known here", () => {
  expect(dated.map(({ id, field, kind }) => `${id} ${field} ${kind}`).sort()).toEqual([
    "advanceTestClock to moment",
    "createApiKey expires_at moment",
    "createBatch expires_at moment",
    "createPackage date_charge_start day",
    "createPaymentLink due_at moment",
    "createPaymentLink expires_at moment",
    "createTestClock now moment",
    "getOverview from day",
    "getOverview to day",
    "recordPayment received_at moment",
    "replayEvents from moment",
    "replayEvents to moment",
    "updatePackage date_charge_start day",
    "updatePaymentLink due_at moment",
    "updatePaymentLink expires_at moment",
  ]);
});

describe.each(dated.map((one) => [`${one.id} ${one.field}`, one] as const))(
  "%s",
  (_, { schema, field, kind }) => {
    const said = (day: string, time = "12:00:00Z") => {
      const checked = check(schema, { [field]: kind === "day" ? day : `${day}T${time}` });
      return checked.ok ? undefined : checked.errors[field];
    };

    test.each(["3000-01-01", "9999-01-01", "9999-12-31"])("%s is too late", (day) => {
      expect(said(day)).toEqual([
        `The ${label([field])} must be a date before or equal to 2999-12-31.`,
      ]);
    });

    // The database's clock decides what has expired, where the record is written.
    const early = field === "expires_at" ? [] : ["0001-01-01", "1969-12-31"];
    test.each(early)("%s is too early", (day) => {
      expect(said(day)).toEqual([
        `The ${label([field])} must be a date after or equal to 1970-01-01.`,
      ]);
    });

    test("the last day is taken to its last moment, in UTC", () => {
      expect(said("2999-12-31", "23:59:59.999999Z")).toBeUndefined();
      if (kind === "moment") expect(said("2999-12-31", "23:59:59-00:30")).toBeDefined();
    });

    test.runIf(field !== "expires_at")("the first day is taken from its first moment", () =>
      expect(said("1970-01-01", "00:00:00Z")).toBeUndefined(),
    );
  },
);

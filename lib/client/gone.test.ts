import { describe, expect, test } from "vitest";
import { withoutGone } from "./gone";
import { ApiProblem } from "./problem";

const payer = { email: "ana@example.com" };
const refetch = () => undefined;

describe("a record that an erasure deletes", () => {
  test("is not shown from the cache once the API answers that it is not there", () => {
    const error = new ApiProblem(404, "not_found", "Not found.");
    const shown = withoutGone({ data: payer, error, refetch });
    expect(shown).toEqual({ data: undefined, error, refetch });
  });

  test.each([
    ["the network", new ApiProblem(0, "network", "No answer.")],
    ["the server", new ApiProblem(500, "internal_error", "Something went wrong on our side.")],
    ["nothing", null],
  ])("stays while %s fails", (_, error) => {
    expect(withoutGone({ data: payer, error, refetch }).data).toBe(payer);
  });
});

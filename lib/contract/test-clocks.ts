import * as z from "zod";
import { endpoint } from "./endpoint";
import { page } from "./envelope";
import { BusinessId, Id, Moment, Name, Timestamp } from "./fields";
import { listQuery } from "./lists";

const clockStatuses = ["ready", "advancing", "paused"] as const;

export const TestClockInput = z
  .object({
    name: Name(100).meta({ description: "At most 100 characters." }),
    now: Moment.describe("The clock's first moment; years 1970 to 2999."),
  })
  .meta({
    id: "TestClockInput",
    examples: [{ name: "A year of membership", now: "2027-01-31T09:00:00Z" }],
  });

export const TestClockAdvance = z
  .object({
    to: Moment.describe("Not before the clock's time, at most 2999-12-31."),
  })
  .meta({ id: "TestClockAdvance", examples: [{ to: "2028-01-31T09:00:00Z" }] });

export const TestClock = z
  .object({
    _id: Id,
    name: z.string(),
    now: Timestamp.describe("The clock's time."),
    status: z.enum(clockStatuses).meta({
      description:
        "`ready`; `advancing`: an advance runs or waits for another one of the business; `paused`: the advance has worked 10,000 periods, reminders and expiries, advance again to continue.",
    }),
    advancing_to: Timestamp.nullable().describe("The target of the advance; null while ready."),
    advanced_to: Timestamp.nullable().describe("How far the advance has come; null while ready."),
    progress: z
      .int()
      .nullable()
      .meta({ description: "Percent of the way, 0 to 99; null while ready." }),
    business_id: BusinessId,
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({
    id: "TestClock",
    examples: [
      {
        _id: "6740f6a04e1d7b90c3f5a812",
        name: "A year of membership",
        now: "2027-01-31T09:00:00.000000Z",
        status: "ready",
        advancing_to: null,
        advanced_to: null,
        progress: null,
        business_id: 1001,
        created_at: "2026-11-20T13:34:45.423258Z",
        updated_at: "2026-11-20T13:34:45.423258Z",
      },
    ],
  });

export type TestClockInput = z.output<typeof TestClockInput>;
export type TestClockAdvance = z.output<typeof TestClockAdvance>;
export type TestClock = z.output<typeof TestClock>;

export const TestClockParams = z.object({ test_clock_id: Id });
export const TestClockQuery = listQuery(["created_from", "created_to"], clockStatuses);
export type TestClockQuery = z.output<typeof TestClockQuery>;

const tag = "Test clocks";
const one = { params: TestClockParams, response: TestClock, tag };

export const createTestClock = endpoint({
  id: "createTestClock",
  method: "POST",
  path: "/test-clocks",
  tag,
  summary: "Create a test clock",
  body: TestClockInput,
  response: TestClock,
  description:
    "Subscriptions and payment links made with its id follow it instead of the real clock: nothing of theirs comes due until it is advanced.",
  conflict: "In live mode there are no test clocks.",
});
export const listTestClocks = endpoint({
  id: "listTestClocks",
  method: "GET",
  path: "/test-clocks",
  tag,
  summary: "List test clocks",
  description: "Newest first. Clocks exist in test mode only.",
  query: TestClockQuery,
  response: page(TestClock),
});
export const getTestClock = endpoint({
  ...one,
  id: "getTestClock",
  method: "GET",
  path: "/test-clocks/{test_clock_id}",
  summary: "Get a test clock",
  description: "Its time, and whether it is being advanced.",
});
export const deleteTestClock = endpoint({
  ...one,
  id: "deleteTestClock",
  method: "DELETE",
  path: "/test-clocks/{test_clock_id}",
  summary: "Delete a test clock",
  description:
    "An advance ends. The subscriptions and the open payment links that follow the clock are cancelled.",
  conflict: "A period is being charged just then, or a link is being paid; try again.",
});
export const advanceTestClock = endpoint({
  ...one,
  id: "advanceTestClock",
  method: "POST",
  cost: 5,
  waits: true,
  path: "/test-clocks/{test_clock_id}/advance",
  summary: "Advance a test clock",
  body: TestClockAdvance,
  description:
    "Everything that comes due on the way is done in order, each piece as of its moment: charges, retries, links, reminders, expiries, mails and events carry the clock's time. What a gateway would answer only later, it answers at that same moment. The call waits up to 10 s for the end; a longer advance is answered with `status` `advancing` and continues without the connection. Get the clock to follow it. One advance of a business runs at a time; more wait.",
  conflict: "The clock is being advanced.",
});
export const cancelTestClockAdvance = endpoint({
  ...one,
  id: "cancelTestClockAdvance",
  method: "POST",
  path: "/test-clocks/{test_clock_id}/cancel",
  summary: "Cancel a test clock's advance",
  description:
    "The clock stays where it has come to, after the period that is being worked. Without an advance nothing changes.",
});

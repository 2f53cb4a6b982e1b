import { expect, test } from "vitest";
import { Subscription } from "@/lib/contract/subscriptions";
import { cancelEffects } from "./words";

test("the question before cancelling names the day of the charge in the zone that it is given, wherever it is read", () => {
  const midnightInKualaLumpur = "2027-01-30T16:00:00.000000Z";
  const subscription = {
    ...Subscription.parse(Subscription.meta()?.examples?.[0]),
    next_charge_at: midnightInKualaLumpur,
  };
  const [inKualaLumpur] = cancelEffects(subscription, "Asia/Kuala_Lumpur");
  const [inNewYork] = cancelEffects(subscription, "America/New_York");
  expect(inKualaLumpur).toContain("planned for 31 Jan 2027");
  expect(inNewYork).toContain("planned for 30 Jan 2027");
});

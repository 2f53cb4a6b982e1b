import { expect, test, vi } from "vitest";
import { NotificationSettings } from "@/lib/contract/notifications";
import { getNotificationSettings } from "@/lib/contract/operations";
import { answered, drawn } from "@/tests/drawn";
import { Notifications } from "./notifications";

vi.mock("next/navigation", async () => (await import("@/tests/drawn-at")).navigation);

test("the daily summary is promised for days with failures alone too, as it is sent", () => {
  const settings = NotificationSettings.parse(NotificationSettings.meta()?.examples?.[0]);
  const html = drawn(<Notifications />, [answered(getNotificationSettings, {}, settings)]);
  expect(html).toContain("None for a day without payments and failures.");
});

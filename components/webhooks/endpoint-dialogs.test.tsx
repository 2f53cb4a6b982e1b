import { expect, test, vi } from "vitest";
import { WebhookEndpoint } from "@/lib/contract/webhook-endpoint";
import { drawn } from "@/tests/drawn";
import { ReplayDialog } from "./endpoint-dialogs";

vi.mock("next/navigation", async () => (await import("@/tests/drawn-at")).navigation);
vi.mock("@/components/ui/dialog", () => import("@/tests/drawn-dialog"));

const endpoint = WebhookEndpoint.parse(WebhookEndpoint.meta()?.examples?.[0]);

test("sending events again promises no delivered ones while these are left out, and says for how long that is known", () => {
  const html = drawn(<ReplayDialog endpoint={endpoint} open onOpenChange={() => undefined} />, []);
  expect(html).toMatch(/<input[^>]* checked=""[^>]*>/);
  expect(html).toContain("the undelivered events");
  expect(html).not.toContain("all events");
  expect(html).toContain("only events of the last 60 days");
});

import { expect, test, vi } from "vitest";
import { newestLinks } from "@/components/form/use-recent-currencies";
import { ImportLinks } from "@/components/payment-links/import";
import { ChargeToken } from "@/components/tokens/charge";
import { Business } from "@/lib/contract/business";
import { getBusiness, getTokenization, listPaymentLinks } from "@/lib/contract/operations";
import { SeenTokenization } from "@/lib/contract/tokenizations";
import { answered, drawn } from "@/tests/drawn";
import { drawnAt } from "@/tests/drawn-at";
import { NoProvider } from "./no-provider";

vi.mock("next/navigation", async () => (await import("@/tests/drawn-at")).navigation);
drawnAt.mode = "live";

const business = Business.parse(Business.meta()?.examples?.[0]);
const token: SeenTokenization = {
  ...SeenTokenization.parse(SeenTokenization.meta()?.examples?.[0]),
  status: "active",
};
const missing = "No payment provider is connected yet";

test.each([true, false])(
  "an import asks for a file in live mode only where a gateway can take its links (%s)",
  (live_gateway) => {
    const html = drawn(<ImportLinks />, [answered(getBusiness, {}, { ...business, live_gateway })]);
    expect(html.includes('type="file"')).toBe(live_gateway);
    expect(html.includes(missing)).toBe(!live_gateway);
  },
);

test.each([true, false])(
  "the form of a charge says in live mode when no gateway can take it (%s)",
  (live_gateway) => {
    const html = drawn(<ChargeToken id={token._id} again={null} />, [
      answered(getBusiness, {}, { ...business, live_gateway }),
      answered(getTokenization, { params: { token: token._id } }, token),
      answered(listPaymentLinks, newestLinks, { data: [] }),
    ]);
    expect(html).toContain("The money is taken at once");
    expect(html.includes(missing)).toBe(!live_gateway);
  },
);

test("where no gateway is connected, staff read that an owner or admin connects one", () => {
  const html = drawn(<NoProvider business={business} what="links" />, [], { role: "staff" });
  expect(html).toContain("An owner or admin can connect one");
  for (const role of ["owner", "admin"] as const)
    expect(drawn(<NoProvider business={business} what="links" />, [], { role })).toContain(
      "Connect a payment provider</a>",
    );
});

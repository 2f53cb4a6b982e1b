import { expect, test, vi } from "vitest";
import { getPackage } from "@/lib/contract/operations";
import { PackageDetail } from "@/lib/contract/packages";
import { answered, drawn } from "@/tests/drawn";
import { EditPackage } from "./edit";

vi.mock("next/navigation", async () => (await import("@/tests/drawn-at")).navigation);

const detail = PackageDetail.parse(PackageDetail.meta()?.examples?.[0]);

test.each([false, true])(
  "the terms of a package are offered until it was subscribed to, whatever became of that (%s)",
  (subscribed) => {
    const one = { ...detail, subscribed };
    const html = drawn(<EditPackage id={one._id} />, [
      answered(getPackage, { params: { package_id: one._id } }, one),
    ]);
    expect(html.includes(">Amount</label>")).toBe(!subscribed);
    expect(html.includes("These are fixed because")).toBe(subscribed);
    expect(html).toContain(">Name</label>");
  },
);

import { expect, test, vi } from "vitest";
import { QrButton } from "@/components/record/qr-button";
import { drawn } from "@/tests/drawn";

vi.mock("next/navigation", async () => (await import("@/tests/drawn-at")).navigation);
vi.mock("@/components/ui/dialog", () => import("@/tests/drawn-dialog"));

test("showing a QR code takes no call that could be refused", () => {
  const html = drawn(
    <QrButton
      address="https://pay.example.com/pay?id=65f1c0de65f1c0de65f1c0de"
      files={{ svg: "/api/qr.svg", png: "/api/qr.png" }}
      name="code"
      alt="QR code of the payment link"
      description="Opens the payment page."
      title="Catering"
      text="MYR 12.34"
    />,
    [],
  );
  expect(html).toContain("Catering");
  expect(html).not.toMatch(/<img[^>]* src="\/api/);
});

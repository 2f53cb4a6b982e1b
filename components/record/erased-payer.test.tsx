import type { ReactNode } from "react";
import { expect, test, vi } from "vitest";
import { LinkMenuItems } from "@/components/payment-links/link-menu";
import { RemindButton } from "@/components/payment-links/remind-button";
import { SendButton } from "@/components/payment-links/send-button";
import { SubscriptionMenuItems } from "@/components/subscriptions/subscription-menu";
import { PaymentLink } from "@/lib/contract/payment-links";
import { Subscription } from "@/lib/contract/subscriptions";
import { erasedEmail } from "@/lib/contract/values";
import { drawn } from "@/tests/drawn";

vi.mock("next/navigation", async () => (await import("@/tests/drawn-at")).navigation);
// Menus load after the page; here their items are drawn without them.
vi.mock("@/components/ui/menu", () => {
  const Item = ({ children }: { children?: ReactNode }) => <span>{children}</span>;
  return { MenuItem: Item, MenuLink: Item, MenuLine: () => null };
});

const link = PaymentLink.parse(PaymentLink.meta()?.examples?.[0]);
const subscription = Subscription.parse(Subscription.meta()?.examples?.[0]);
const ignore = () => undefined;

const linkMenu = (values: Partial<PaymentLink>) => (
  <LinkMenuItems link={{ ...link, ...values }} onDelete={ignore} onRecord={ignore} />
);

const offered: Record<string, [part: (email: string) => ReactNode, name: string]> = {
  "Show customer of a subscription": [
    (email) => (
      <SubscriptionMenuItems
        subscription={{ ...subscription, email }}
        onCancel={ignore}
        onDelete={ignore}
      />
    ),
    "Show customer",
  ],
  "Duplicate of a link": [(email) => linkMenu({ email }), "Duplicate"],
  "Reopen of a link": [(email) => linkMenu({ email, status: "Cancelled" }), "Reopen"],
  "Send by e-mail": [(email) => <SendButton link={{ ...link, email }} />, "Send by e-mail"],
  Remind: [(email) => <RemindButton link={{ ...link, email }} />, "Remind"],
};

test.each(Object.entries(offered))(
  "%s is offered to no record of an erased payer",
  (_what, [part, name]) => {
    expect(drawn(part("ana@example.com"), [])).toContain(name);
    expect(drawn(part(erasedEmail), [])).not.toContain(name);
  },
);

import { expect, test, vi } from "vitest";
import { useContractForm } from "@/components/form/use-contract-form";
import { Business } from "@/lib/contract/business";
import { PaymentLinkInput } from "@/lib/contract/payment-links";
import { drawn } from "@/tests/drawn";
import { blankLink } from "./form-values";
import { LinkForm } from "./link-form";

vi.mock("next/navigation", async () => (await import("@/tests/drawn-at")).navigation);

const business = Business.parse(Business.meta()?.examples?.[0]);

function NewLink() {
  const form = useContractForm(PaymentLinkInput, {
    defaults: blankLink("MYR"),
    submit: async () => undefined,
  });
  return (
    <LinkForm
      form={form}
      business={business}
      save="Create payment link"
      cancelHref="/"
      mailHint="As soon as the link is created."
    />
  );
}

test.each([
  [false, "This install has no mail server. Mails are kept under Mails."],
  [true, "In test mode only team members with a confirmed address get mails."],
])(
  "where mails do not go out (a mail server: %s), the form of a link says why in place of when",
  (sends_mail, reason) => {
    const html = drawn(<NewLink />, [], { sends_mail });
    expect(html).not.toContain("As soon as the link is created.");
    expect(html.split(reason)).toHaveLength(3);
    expect(html).toContain(`while the link can be paid. ${reason}`);
  },
);

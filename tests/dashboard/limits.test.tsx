import { expect, test, vi } from "vitest";
import { PackageFields } from "@/components/packages/fields";
import { blankLink } from "@/components/payment-links/form-values";
import { LinkForm } from "@/components/payment-links/link-form";
import { Business } from "@/lib/contract/business";
import { PackageInput } from "@/lib/contract/packages";
import { PaymentLinkInput } from "@/lib/contract/payment-links";
import { limits } from "@/lib/contract/values";
import { drawn } from "@/tests/drawn";
import { Form } from "@/components/form/form";
import { useContractForm } from "@/components/form/use-contract-form";

vi.mock("next/navigation", async () => (await import("@/tests/drawn-at")).navigation);

const business = Business.parse(Business.meta()?.examples?.[0]);
const description = "é".repeat(limits.description);
const submit = async () => undefined;

function LongLink() {
  const defaults = { ...blankLink("MYR"), description };
  const form = useContractForm(PaymentLinkInput, { defaults, submit });
  return <LinkForm form={form} business={business} save="Save" cancelHref="/" mailHint="" />;
}

function LongPackage() {
  const blank = {
    name: "",
    description: "",
    amount: "",
    currency: "MYR",
    frequency: "",
    date_charge_start: "",
  };
  const form = useContractForm(PackageInput, { defaults: { ...blank, description }, submit });
  return (
    <Form form={form} label="Package">
      <PackageFields form={form} />
    </Form>
  );
}

test.each([
  ["payment link", <LongLink key="link" />],
  ["package", <LongPackage key="package" />],
])("the description of a %s shows its limit as it comes near", (_what, form) => {
  expect(drawn(form, [])).toContain("5000 of 5000 characters.");
});

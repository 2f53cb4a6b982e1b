import { expect, test, vi } from "vitest";
import { useContractForm } from "@/components/form/use-contract-form";
import { Business } from "@/lib/contract/business";
import {
  type PaymentLink,
  PaymentLinkInput,
  paymentLinkExample,
} from "@/lib/contract/payment-links";
import type { Reminder } from "@/lib/contract/reminders";
import { drawn } from "@/tests/drawn";
import { blankLink } from "./form-values";
import { LinkForm } from "./link-form";

vi.mock("next/navigation", async () => (await import("@/tests/drawn-at")).navigation);

const business = Business.parse(Business.meta()?.examples?.[0]);

type Given = { sends?: boolean; reminders?: Reminder[]; link?: PaymentLink };

function NewLink({ sends = true, reminders = [], link }: Given) {
  const form = useContractForm(PaymentLinkInput, {
    defaults: { ...blankLink("MYR"), send_email: sends },
    submit: async () => undefined,
  });
  return (
    <LinkForm
      form={form}
      business={{ ...business, reminders }}
      {...(link ? { link } : {})}
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

const days: Reminder[] = [{ days: 3, relative_to: "created_at" }];
const link: PaymentLink = { ...paymentLinkExample, default_reminders: [] };
test.each<[string, Given, string]>([
  ["a new link", { reminders: days }, "By default: 3 days after it is created"],
  ["a new link, where the settings have none", {}, "None by default"],
  [
    "a new link that is not mailed",
    { reminders: days, sends: false },
    "None unless the link is e-mailed",
  ],
  ["a link that was created without", { reminders: days, link, sends: false }, "None by default"],
  [
    "a link that was created with them",
    { link: { ...link, default_reminders: days }, sends: false },
    "By default: 3 days after it is created",
  ],
])("the form of %s says which reminders the default means", (_of, given, words) => {
  const [, shown] =
    /<option[^>]*value="default"[^>]*>([^<]*)</.exec(drawn(<NewLink {...given} />, [])) ?? [];
  expect(shown).toBe(words);
});

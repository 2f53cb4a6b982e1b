"use client";

import { useQueryClient } from "@tanstack/react-query";
import { ClockField, useChosenClock } from "@/components/record/clock-field";
import { useChosenCustomer } from "@/components/record/use-chosen-customer";
import { useRecentCurrencies } from "@/components/form/use-recent-currencies";
import { useContractForm } from "@/components/form/use-contract-form";
import { NoProvider } from "@/components/record/no-provider";
import { NotAllowed } from "@/components/record/not-allowed";
import { ErrorState } from "@/components/ui/error-state";
import { PageHeader } from "@/components/ui/page-header";
import { Loading, Skeleton } from "@/components/ui/skeleton";
import { useAction, useEndpoint } from "@/lib/client/hooks";
import { keys } from "@/lib/client/keys";
import { useSameKey } from "@/lib/client/use-same-key";
import { useMembership } from "@/lib/client/use-me";
import { useScope } from "@/lib/client/use-scope";
import type { Business } from "@/lib/contract/business";
import type { Customer } from "@/lib/contract/customers";
import { createPaymentLink, getBusiness, getPaymentLink } from "@/lib/contract/operations";
import { type PaymentLink, PaymentLinkCreate } from "@/lib/contract/payment-links";
import { currencyCodes } from "@/lib/kernel/currencies";
import { blankLink, copiedLink } from "./form-values";
import { LinkForm } from "./link-form";

type CreateLinkProps = {
  /** The id of a link to copy. */
  from: string | null;
  /** What the form begins with; by default the currency that the business used last. */
  currency: string | null;
  /** The id of the customer who is to pay. */
  customerId: string | null;
};

/** A new payment link. */
export function CreateLink({ from, currency, customerId }: CreateLinkProps) {
  const { path } = useScope();
  const { may, business: own } = useMembership();
  const business = useEndpoint(getBusiness, {});
  const original = useEndpoint(
    getPaymentLink,
    { params: { payment_link_id: from ?? "" } },
    { enabled: from !== null },
  );
  const customer = useChosenCustomer(customerId);
  const recent = useRecentCurrencies(business.data);
  const failed = business.error ?? original.error ?? customer.error;
  const ready =
    recent.settled &&
    business.data &&
    (from === null || original.data) &&
    (customerId === null || customer.data);
  return (
    <>
      <PageHeader
        title={from === null ? "New payment link" : "Duplicate payment link"}
        description={
          original.data
            ? `A copy of “${original.data.title}” for the same payer, with an address of its own. References are empty, and “Send the link by e-mail” is off.`
            : undefined
        }
        back={{ href: path("/payment-links"), label: "Payment links" }}
      />
      {own && !may(createPaymentLink) ? (
        <NotAllowed what="payment links" />
      ) : failed && !ready ? (
        <ErrorState
          error={failed}
          retry={() =>
            void Promise.all([
              business.refetch(),
              from === null ? null : original.refetch(),
              customerId === null ? null : customer.refetch(),
            ])
          }
        />
      ) : business.data && ready ? (
        <NewLink
          business={business.data}
          original={original.data}
          customer={customer.data}
          currency={
            currency && currencyCodes.includes(currency) ? currency : (recent.codes[0] ?? "")
          }
        />
      ) : (
        <FormSkeleton />
      )}
    </>
  );
}

function NewLink({
  business,
  original,
  customer,
  currency,
}: {
  business: Business;
  original: PaymentLink | undefined;
  customer: Customer | undefined;
  currency: string;
}) {
  const scope = useScope();
  const client = useQueryClient();
  const create = useAction(createPaymentLink, { onProblem: () => undefined });
  const keyFor = useSameKey();
  const clockOf = useChosenClock();
  const form = useContractForm(PaymentLinkCreate, {
    defaults: {
      ...(original ? copiedLink(original) : blankLink(currency, customer)),
      test_clock_id: "",
    },
    submit: async ({ test_clock_id: clock, ...own }) => {
      const body = { ...own, test_clock_id: await clockOf(clock, own.title) };
      return create.runAsync({ body }, { idempotencyKey: keyFor(body) });
    },
    onSaved: (link, go) => {
      client.setQueryData(
        keys.call(scope, getPaymentLink, { params: { payment_link_id: link._id } }),
        link,
      );
      go(scope.path(`/payment-links/${link._id}?created=true`));
    },
  });
  return (
    <>
      <NoProvider business={business} what="links" />
      <LinkForm
        form={form}
        business={business}
        save="Create payment link"
        cancelHref={scope.path("/payment-links")}
        mailHint="As soon as the link is created."
        clock={
          scope.mode === "test" ? (
            <ClockField
              form={form}
              hint="With a test clock you can let days and weeks pass at once and see the reminders and the expiry."
            />
          ) : undefined
        }
      />
    </>
  );
}

/** Holds the place of the form. */
export function FormSkeleton() {
  return (
    <Loading label="Loading the form">
      <div className="grid gap-5 xl:grid-cols-[minmax(0,1fr)_25rem]">
        <div className="grid gap-5">
          {["a", "b"].map((key) => (
            <div key={key} className="grid gap-5 rounded-card bg-surface p-5 shadow-sheet">
              <Skeleton className="w-1/4" />
              <Skeleton className="h-9 w-full" />
              <Skeleton className="h-9 w-full" />
              <Skeleton className="h-20 w-full" />
            </div>
          ))}
        </div>
        <div className="h-120 rounded-card bg-surface shadow-sheet" />
      </div>
    </Loading>
  );
}

"use client";

import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { FieldCards } from "@/components/form/field-cards";
import { useFieldValue } from "@/components/form/use-field";
import { Form, SubmitButton } from "@/components/form/form";
import { LostAnswer } from "@/components/form/lost-answer";
import { RecordLink } from "@/components/record/record-link";
import { FormPage } from "@/components/form/form-page";
import { SelectField } from "@/components/form/inputs";
import { type FieldName, useContractForm } from "@/components/form/use-contract-form";
import { useUnsentReason } from "@/components/mails/use-mail-notice";
import { termsOf } from "@/components/packages/words";
import { ClockField, useChosenClock } from "@/components/record/clock-field";
import { payerOf, useChosenCustomer } from "@/components/record/use-chosen-customer";
import { NoProvider } from "@/components/record/no-provider";
import { LinkButton } from "@/components/ui/link-button";
import { cardOf } from "@/components/tokens/words";
import { Card } from "@/components/ui/card";
import { Confirm } from "@/components/ui/dialog";
import { useEndpoint, useEveryRow } from "@/lib/client/hooks";
import { keys } from "@/lib/client/keys";
import { notify } from "@/lib/client/notices";
import { dayIn } from "@/lib/client/ranges";
import { dayOnly } from "@/lib/client/times";
import { useMoneyCall } from "@/lib/client/use-money-call";
import { useScope } from "@/lib/client/use-scope";
import type { Business } from "@/lib/contract/business";
import type { Customer } from "@/lib/contract/customers";
import {
  createSubscription,
  getBusiness,
  getSubscription,
  listPackages,
} from "@/lib/contract/operations";
import type { Package } from "@/lib/contract/packages";
import { SubscriptionInput } from "@/lib/contract/subscriptions";
import { editedInputs } from "./fields";
import { displayAmount } from "@/lib/kernel/money";
import { useSavedMethod } from "./use-saved-method";
import { chargeHint, firstDay } from "./words";

type SubscribeProps = { packageId: string | null; customerId: string | null };

/** A new subscription; package and customer are chosen beforehand where they are known. */
export function Subscribe({ packageId, customerId }: SubscribeProps) {
  const { path } = useScope();
  const business = useEndpoint(getBusiness, {});
  const packages = useEveryRow(listPackages, { status: "active" });
  const customer = useChosenCustomer(customerId);
  return (
    <FormPage
      title="Subscribe someone"
      description="Puts a payer on a package. Each period is then charged automatically, or has a payment link."
      back={{ href: path("/subscriptions"), label: "Subscriptions" }}
      does={createSubscription}
      what="subscriptions"
      needs={customerId === null ? [business, packages] : [business, packages, customer]}
    >
      {() => {
        if (!business.data || !packages.data) return null;
        return packages.data.data.length === 0 ? (
          <NoPackage />
        ) : (
          <Fields
            business={business.data}
            packages={packages.data.data}
            packageId={packageId}
            customer={customer.data}
          />
        );
      }}
    </FormPage>
  );
}

type Name = FieldName<typeof SubscriptionInput>;

const cards = {
  what: { title: "To what" },
  who: { title: "Who" },
  time: { title: "Time" },
};

const places: Record<Name, keyof typeof cards> = {
  package_id: "what",
  email: "who",
  phone_no: "who",
  test_clock_id: "time",
};

function Fields({
  business,
  packages,
  packageId,
  customer,
}: {
  business: Business;
  packages: Package[];
  packageId: string | null;
  customer: Customer | undefined;
}) {
  const scope = useScope();
  const client = useQueryClient();
  const create = useMoneyCall(createSubscription, undefined, { invalidates: [listPackages] });
  const clockOf = useChosenClock();
  const unsent = useUnsentReason();
  const chosen =
    packages.find(({ _id }) => _id === packageId) ??
    (packages.length === 1 ? packages[0] : undefined);

  const [asked, setAsked] = useState<Asked | null>(null);
  const today = dayIn(business.time_zone, new Date());
  const form = useContractForm(SubscriptionInput, {
    defaults: {
      package_id: chosen?._id ?? "",
      email: "",
      phone_no: "",
      test_clock_id: "",
      ...payerOf(customer),
    },
    confirm: async (body) => {
      const to = packages.find(({ _id }) => _id === body.package_id);
      // The form may have been open over midnight.
      const day = dayIn(business.time_zone, new Date());
      if (!to || firstDay(to, day) > day) return true;
      const method = await saved.look();
      if (method === null) return true;
      return new Promise<boolean>((answer) =>
        setAsked({ email: body.email, to, card: method && cardOf(method), answer }),
      );
    },
    submit: async ({ test_clock_id: clock, ...own }) => {
      const body = {
        ...own,
        test_clock_id: await clockOf(clock, own.email),
      };
      return create.send(body, `The subscription of ${own.email}`);
    },
    onSaved: (subscription, go) => {
      client.setQueryData(
        keys.call(scope, getSubscription, { params: { subscription_id: subscription._id } }),
        subscription,
      );
      notify({ title: `${subscription.email} is subscribed`, tone: "good" });
      go(scope.path(`/subscriptions/${subscription._id}`));
    },
  });
  const selected = useFieldValue(form, "package_id");
  const pack = packages.find(({ _id }) => _id === selected);
  const saved = useSavedMethod(String(useFieldValue(form, "email") ?? ""));
  const chargesNow = pack && saved.method && firstDay(pack, today) === today;
  const inputs: Record<Name, ReactNode> = {
    ...editedInputs(form, chargeHint(saved.method && cardOf(saved.method), unsent)),
    package_id: (
      <SelectField
        form={form}
        name="package_id"
        label="Package"
        none="Choose a package"
        className="sm:col-span-2"
        options={packages.map((one) => ({
          value: one._id,
          label: `${one.name} (${termsOf(one)})`,
        }))}
        hint={
          pack
            ? `First charge on ${dayOnly(firstDay(pack, today))}: ${termsOf(pack)} from then on.`
            : undefined
        }
      />
    ),
    test_clock_id:
      scope.mode === "test" ? (
        <ClockField
          form={form}
          hint="With a test clock you can let weeks and years pass at once and see what is charged."
        />
      ) : null,
  };
  return (
    <>
      <NoProvider business={business} what="subscriptions" />
      <Form form={form} label="Subscription" className="max-w-3xl gap-5!">
        <LostAnswer
          call={create}
          ran={(made) =>
            made ? (
              <RecordLink to={`/subscriptions/${made._id}`} text="Show the subscription" />
            ) : (
              "it was created."
            )
          }
        />
        <FieldCards cards={cards} places={places} inputs={inputs} />
        <div className="flex flex-wrap gap-2">
          <SubmitButton disabled={create.asking}>
            {chargesNow
              ? `Subscribe and charge ${displayAmount(pack.amount, pack.currency)}…`
              : "Subscribe"}
          </SubmitButton>
          <LinkButton href={scope.path("/subscriptions")} variant="ghost">
            Cancel
          </LinkButton>
        </div>
      </Form>
      <ConfirmSubscribe
        asked={asked}
        onAnswer={(yes) => {
          asked?.answer(yes);
          setAsked(null);
        }}
      />
    </>
  );
}

type Asked = {
  email: string;
  to: Package;
  /** Undefined where it could not be looked up whether there is one. */
  card: string | undefined;
  answer: (yes: boolean) => void;
};

/** Asks before a subscription takes its first amount at once. */
function ConfirmSubscribe({
  asked,
  onAnswer,
}: {
  asked: Asked | null;
  onAnswer: (yes: boolean) => void;
}) {
  const amount = asked ? displayAmount(asked.to.amount, asked.to.currency) : "";
  return (
    <Confirm
      title={
        asked?.card
          ? `Subscribe and charge ${amount} to ${asked.card}?`
          : `Subscribe ${asked?.email ?? ""}?`
      }
      confirm={asked?.card ? `Subscribe and charge ${amount}` : "Subscribe"}
      tone="primary"
      open={asked !== null}
      onOpenChange={(open) => !open && onAnswer(false)}
      onConfirm={() => onAnswer(true)}
    >
      {asked?.card ? (
        <p>
          {amount} is taken at once from the card that {asked.email} has saved, and again each
          period.
        </p>
      ) : (
        <p>
          It could not be looked up whether {asked?.email} has saved a payment method. If so,{" "}
          {amount} is taken at once.
        </p>
      )}
    </Confirm>
  );
}

function NoPackage() {
  const { path } = useScope();
  return (
    <Card>
      <p className="font-medium">There is no package to subscribe to</p>
      <p className="mt-0.5 mb-4 text-muted">
        A package says how much is charged, and how often. Cancelled packages take no new
        subscribers.
      </p>
      <LinkButton href={path("/packages/new")} variant="primary">
        Create package
      </LinkButton>
    </Card>
  );
}

"use client";

import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useRef } from "react";
import { FieldCards } from "@/components/form/field-cards";
import { useFieldValue } from "@/components/form/use-field";
import { Form, SubmitButton } from "@/components/form/form";
import { LostAnswer } from "@/components/form/lost-answer";
import { RecordLink } from "@/components/record/record-link";
import { FormPage } from "@/components/form/form-page";
import { SelectField } from "@/components/form/inputs";
import { type FieldName, useContractForm } from "@/components/form/use-contract-form";
import { termsOf } from "@/components/packages/words";
import { NoProvider } from "@/components/record/no-provider";
import { LinkButton } from "@/components/ui/link-button";
import { Card } from "@/components/ui/card";
import { useAction, useEndpoint, useEveryRow } from "@/lib/client/hooks";
import { keys } from "@/lib/client/keys";
import { notify } from "@/lib/client/notices";
import { dayIn } from "@/lib/client/ranges";
import { dayOnly } from "@/lib/client/times";
import { useMoneyCall } from "@/lib/client/use-money-call";
import { useScope } from "@/lib/client/use-scope";
import type { Business } from "@/lib/contract/business";
import {
  createSubscription,
  createTestClock,
  getBusiness,
  getSubscription,
  listPackages,
} from "@/lib/contract/operations";
import type { Package } from "@/lib/contract/packages";
import { SubscriptionInput } from "@/lib/contract/subscriptions";
import { editedInputs } from "./fields";
import { firstDay } from "./words";

/** A new subscription; `packageId` is chosen beforehand where it is known. */
export function Subscribe({ packageId }: { packageId: string | null }) {
  const { path } = useScope();
  const business = useEndpoint(getBusiness, {});
  const packages = useEveryRow(listPackages, { status: "active" });
  return (
    <FormPage
      title="Subscribe someone"
      description="Ties a payer to a package. Each period is then charged automatically, or its payment link is e-mailed."
      back={{ href: path("/subscriptions"), label: "Subscriptions" }}
      does={createSubscription}
      what="subscriptions"
      needs={[business, packages]}
    >
      {() => {
        if (!business.data || !packages.data) return null;
        return packages.data.data.length === 0 ? (
          <NoPackage />
        ) : (
          <Fields business={business.data} packages={packages.data.data} packageId={packageId} />
        );
      }}
    </FormPage>
  );
}

const newClock = "new";

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
}: {
  business: Business;
  packages: Package[];
  packageId: string | null;
}) {
  const scope = useScope();
  const client = useQueryClient();
  const create = useMoneyCall(createSubscription, undefined, { invalidates: [listPackages] });
  const makeClock = useAction(createTestClock, { onProblem: () => undefined });
  const made = useRef<string>(undefined);
  const chosen =
    packages.find(({ _id }) => _id === packageId) ??
    (packages.length === 1 ? packages[0] : undefined);

  // A clock that was made for a try that was refused is used for the next one.
  const clockFor = async (email: string): Promise<string> => {
    made.current ??= (
      await makeClock.runAsync({
        body: { name: email.slice(0, 100), now: new Date().toISOString() },
      })
    )._id;
    return made.current;
  };
  const form = useContractForm(SubscriptionInput, {
    defaults: { package_id: chosen?._id ?? "", email: "", phone_no: "", test_clock_id: "" },
    submit: async ({ test_clock_id: clock, ...own }) => {
      const body = {
        ...own,
        test_clock_id: clock === newClock ? await clockFor(own.email) : clock,
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
  const inputs: Record<Name, ReactNode> = {
    ...editedInputs(
      form,
      "If this payer has saved a payment method, it is charged; else a payment link is mailed here each period.",
    ),
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
            ? `First charge on ${dayOnly(firstDay(pack, dayIn(business.time_zone, new Date())))}: ${termsOf(pack)} from then on.`
            : undefined
        }
      />
    ),
    test_clock_id:
      scope.mode === "test" ? (
        <SelectField
          form={form}
          name="test_clock_id"
          label="It follows"
          none="The real clock"
          className="sm:col-span-2"
          options={[{ value: newClock, label: "A test clock of its own" }]}
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
          <SubmitButton disabled={create.asking}>Subscribe</SubmitButton>
          <LinkButton href={scope.path("/subscriptions")} variant="ghost">
            Cancel
          </LinkButton>
        </div>
      </Form>
    </>
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

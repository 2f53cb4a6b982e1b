"use client";

import { useRef } from "react";
import { FieldCards } from "@/components/form/field-cards";
import { Form, SubmitButton } from "@/components/form/form";
import { FormPage } from "@/components/form/form-page";
import { useEditForm } from "@/components/form/use-edit-form";
import { LinkButton } from "@/components/ui/link-button";
import { Card } from "@/components/ui/card";
import { useAction, useEndpoint } from "@/lib/client/hooks";
import { notify } from "@/lib/client/notices";
import { useScope } from "@/lib/client/use-scope";
import { getSubscription, updateSubscription } from "@/lib/contract/operations";
import {
  type Subscription,
  SubscriptionInput,
  SubscriptionUpdate,
} from "@/lib/contract/subscriptions";
import { type EditedName, editedInputs } from "./fields";
import { addressHint, meaningOf } from "./words";

/** Changes who a subscription is of. */
export function EditSubscription({ id }: { id: string }) {
  const { path } = useScope();
  const answer = useEndpoint(getSubscription, { params: { subscription_id: id } });
  const found = answer.data;
  const back = { href: path(`/subscriptions/${id}`), label: found?.email ?? "Subscription" };
  const wasOpen = useRef(false);
  const draw = (subscription: Subscription) => {
    if (subscription.status === "cancel")
      return <Ended subscription={subscription} back={back.href} wasOpen={wasOpen.current} />;
    wasOpen.current = true;
    return <Fields key={id} subscription={subscription} back={back.href} />;
  };
  return (
    <FormPage
      title="Edit subscription"
      description={found ? `“${found.package.name}” of ${found.email}.` : undefined}
      back={back}
      does={updateSubscription}
      what="subscriptions"
      record={answer}
      edits={{ kind: "subscription", id }}
    >
      {() => found && draw(found)}
    </FormPage>
  );
}

// The address is never taken away, so the form asks for it where the API would leave it.
const schema = SubscriptionUpdate.omit({ status: true }).extend({
  email: SubscriptionInput.shape.email,
});

const cards = { who: { title: "Who" } };

const places: Record<EditedName, keyof typeof cards> = {
  email: "who",
  phone_no: "who",
};

function Fields({ subscription, back }: { subscription: Subscription; back: string }) {
  const update = useAction(updateSubscription, { onProblem: () => undefined });
  const form = useEditForm(schema, {
    kind: "subscription",
    record: subscription,
    submit: (body) => update.runAsync({ params: { subscription_id: subscription._id }, body }),
    onSaved: ({ email }, go) => {
      notify({ title: `The subscription of ${email} is saved`, tone: "good" });
      go(back);
    },
  });
  const inputs = editedInputs(form, addressHint(subscription));
  return (
    <Form form={form} label="Subscription" className="max-w-3xl gap-5!">
      <FieldCards cards={cards} places={places} inputs={inputs} />
      <div className="flex flex-wrap gap-2">
        <SubmitButton>Save changes</SubmitButton>
        <LinkButton href={back} variant="ghost">
          Cancel
        </LinkButton>
      </div>
    </Form>
  );
}

type EndedProps = { subscription: Subscription; back: string; wasOpen: boolean };

function Ended({ subscription, back, wasOpen }: EndedProps) {
  return (
    <Card>
      <div role={wasOpen ? "alert" : undefined}>
        <p className="font-medium">
          {wasOpen
            ? "This changed while you had it open. Your changes were not saved"
            : "This subscription cannot be changed"}
        </p>
        <p className="mt-0.5 mb-4 text-muted">{meaningOf(subscription, false)}</p>
      </div>
      <LinkButton href={back}>Back to the subscription</LinkButton>
    </Card>
  );
}

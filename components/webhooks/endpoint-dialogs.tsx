"use client";

import { Fragment, type ReactNode } from "react";
import { useWatch } from "react-hook-form";
import { Form, SubmitButton } from "@/components/form/form";
import { CheckboxField, TextField, UrlField } from "@/components/form/inputs";
import { MomentField } from "@/components/form/moment-input";
import {
  type ContractForm,
  type FieldName,
  useContractForm,
} from "@/components/form/use-contract-form";
import { useEditForm } from "@/components/form/use-edit-form";
import { CodeBlock } from "@/components/ui/code-block";
import { Dialog } from "@/components/ui/dialog";
import { ShownOnce } from "@/components/ui/shown-once";
import { useAction } from "@/lib/client/hooks";
import { notify } from "@/lib/client/notices";
import { useScope } from "@/lib/client/use-scope";
import {
  createWebhookEndpoint,
  replayEvents,
  updateWebhookEndpoint,
} from "@/lib/contract/operations";
import type { WebhookEndpoint } from "@/lib/contract/webhook-endpoint";
import {
  ReplayInput,
  WebhookEndpointInput,
  WebhookEndpointUpdate,
  type WebhookEndpointWithSecret,
} from "@/lib/contract/webhooks";
import { webhookLimits } from "@/lib/contract/values";
import { EventTypesField } from "./event-types-field";

const asked = WebhookEndpointInput.omit({ enabled: true });

type Opened = { open: boolean; onOpenChange: (open: boolean) => void };

type Name = FieldName<typeof asked>;

/** The input of each field, in the order of the form. */
const inputsOf = (form: ContractForm<Name>): Record<Name, ReactNode> => ({
  url: (
    <UrlField
      form={form}
      name="url"
      label="Address"
      hint="https, on a server of yours that everyone can reach."
      placeholder="https://shop.example/webhooks"
    />
  ),
  description: (
    <TextField
      form={form}
      name="description"
      label="Description"
      hint="For your colleagues, such as “Web shop”."
      limit={webhookLimits.description}
      autoComplete="off"
    />
  ),
  events: <EventTypesField form={form} />,
});

function EndpointFields({ form }: { form: ContractForm<Name> }) {
  return Object.entries(inputsOf(form)).map(([name, input]) => (
    <Fragment key={name}>{input}</Fragment>
  ));
}

/** Asks for the address and the event types; `onMade` gets the endpoint with its secret. */
export function CreateEndpoint({
  open,
  onOpenChange,
  onMade,
}: Opened & { onMade: (made: WebhookEndpointWithSecret) => void }) {
  const { mode } = useScope();
  return (
    <Dialog
      title="New webhook endpoint"
      description={`It receives events of ${mode} mode from now on.`}
      open={open}
      onOpenChange={onOpenChange}
    >
      <CreateFields onMade={onMade} />
    </Dialog>
  );
}

function CreateFields({ onMade }: { onMade: (made: WebhookEndpointWithSecret) => void }) {
  const create = useAction(createWebhookEndpoint, { onProblem: () => undefined });
  const form = useContractForm(asked, {
    defaults: { url: "", description: "", events: ["*"] },
    submit: (body) => create.runAsync({ body }),
    onSaved: onMade,
  });
  return (
    <Form form={form} label="New webhook endpoint">
      <EndpointFields form={form} />
      <SubmitButton className="justify-self-start">Create endpoint</SubmitButton>
    </Form>
  );
}

/** Changes address, description and types. */
export function EditEndpoint({
  endpoint,
  open,
  onOpenChange,
}: Opened & { endpoint: WebhookEndpoint }) {
  return (
    <Dialog
      title="Edit endpoint"
      description="The next attempts go to the new address."
      open={open}
      onOpenChange={onOpenChange}
    >
      <EditFields endpoint={endpoint} onSaved={() => onOpenChange(false)} />
    </Dialog>
  );
}

const changeable = WebhookEndpointUpdate.omit({ enabled: true });

function EditFields({ endpoint, onSaved }: { endpoint: WebhookEndpoint; onSaved: () => void }) {
  const update = useAction(updateWebhookEndpoint, { onProblem: () => undefined });
  const form = useEditForm(changeable, {
    kind: "webhook_endpoint",
    record: endpoint,
    // An address asks for a proof of who saves it.
    submit: ({ url, ...rest }) =>
      update.runAsync({
        params: { webhook_endpoint_id: endpoint._id },
        body: url === endpoint.url ? rest : { ...rest, url },
      }),
    onSaved: () => {
      notify({ title: "Endpoint saved", tone: "good" });
      onSaved();
    },
  });
  return (
    <Form form={form} label="Webhook endpoint">
      <EndpointFields form={form} />
      <SubmitButton className="justify-self-start">Save</SubmitButton>
    </Form>
  );
}

/** Shows a secret that was just made, this once; open while `made` is given. */
export function NewSecret({
  made,
  rotated,
  onClose,
}: {
  made: WebhookEndpointWithSecret | null;
  rotated: boolean;
  onClose: () => void;
}) {
  return (
    <ShownOnce
      title={rotated ? "The new secret" : "Your endpoint’s secret"}
      description="Your receiver uses it to check that a webhook comes from Kutip. Copy it now and put it where your program reads it."
      warning="Kutip can’t show it again. If you lose it, rotate it to get a new one."
      open={made !== null}
      onClose={onClose}
    >
      {made ? (
        <div className="grid gap-4">
          <CodeBlock code={made.secret} label="The secret" copyLabel="Copy secret" />
          <p className="text-muted">
            {rotated
              ? "For 24 hours every delivery is signed by the old secret too, so you can change it without a gap. "
              : ""}
            How to check a signature in Node, PHP, Python and Go is in the{" "}
            <a
              href="/docs/api#receiving-webhooks"
              target="_blank"
              rel="noreferrer"
              className="text-accent underline underline-offset-3"
            >
              API reference
            </a>
            .
          </p>
        </div>
      ) : null}
    </ShownOnce>
  );
}

/** Asks for a time range and sends its events to the endpoint, again or for the first time. */
export function ReplayDialog({
  endpoint,
  open,
  onOpenChange,
}: Opened & { endpoint: WebhookEndpoint }) {
  return (
    <Dialog
      title="Send events again"
      description="The receiver can recognise repeats by their webhook-id."
      open={open}
      onOpenChange={onOpenChange}
    >
      <ReplayFields id={endpoint._id} onSent={() => onOpenChange(false)} />
    </Dialog>
  );
}

const range = ReplayInput.pick({ from: true, to: true, undelivered: true });

function ReplayFields({ id, onSent }: { id: string; onSent: () => void }) {
  const replay = useAction(replayEvents, { onProblem: () => undefined });
  const form = useContractForm(range, {
    defaults: { from: "", to: "", undelivered: true },
    submit: (body) => replay.runAsync({ params: { webhook_endpoint_id: id }, body }),
    onSaved: ({ deliveries }) => {
      notify(
        deliveries === 0
          ? { title: "There is nothing to send in this time" }
          : {
              title: `${deliveries} ${deliveries === 1 ? "event is" : "events are"} on their way`,
              tone: "good",
            },
      );
      onSent();
    },
  });
  const undelivered = useWatch({ control: form.fields.control, name: "undelivered" });
  return (
    <Form form={form} label="Events to send again">
      <p>
        Sends {undelivered ? "the undelivered events" : "all events"} of a period, even from before
        the endpoint existed.
      </p>
      <div className="grid gap-4 sm:grid-cols-2">
        <MomentField form={form} name="from" label="From" bare="begin" />
        <MomentField form={form} name="to" label="To" hint="Until now when it is left out." />
      </div>
      <CheckboxField
        form={form}
        name="undelivered"
        label="Leave out what was delivered"
        hint={`Sends only undelivered events. An endpoint older than ${webhookLimits.keptDays} days gets only events of the last ${webhookLimits.keptDays} days: earlier deliveries are not kept.`}
      />
      <SubmitButton className="justify-self-start">Send events</SubmitButton>
    </Form>
  );
}

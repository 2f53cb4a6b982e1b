"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { OnlyFor } from "@/components/console/only-for";
import { Form, SubmitButton } from "@/components/form/form";
import { TextField } from "@/components/form/inputs";
import { useContractForm } from "@/components/form/use-contract-form";
import { useFieldValue } from "@/components/form/use-field";
import { Card } from "@/components/ui/card";
import { PageHeader } from "@/components/ui/page-header";
import { Time } from "@/components/ui/time";
import { useAction } from "@/lib/client/hooks";
import { keys } from "@/lib/client/keys";
import { useScope } from "@/lib/client/use-scope";
import { erasePayer, previewErasure } from "@/lib/contract/operations";
import { type Erasure, type ErasurePreview, PayerInput } from "@/lib/contract/payers";

type Found = { email: string; preview: ErasurePreview };

/** Erases a payer: by address, after a look at what will follow. `email` is known where the customer's page led here. */
export function PayerErasure({ email }: { email: string | null }) {
  const [found, setFound] = useState<Found>();
  const [erased, setErased] = useState<Erasure>();
  const show = useAction(previewErasure, { onProblem: () => undefined });
  const form = useContractForm(PayerInput, {
    defaults: { email: email ?? "" },
    submit: async (body) => ({ email: body.email, preview: await show.runAsync({ body }) }),
    onSaved: (next) => {
      setErased(undefined);
      setFound(next);
    },
  });
  return (
    <>
      <PageHeader
        title="Payers"
        description="Erase a payer who asks for it. Amounts stay in your books, without the person."
      />
      <OnlyFor endpoint={erasePayer}>
        <div className="grid max-w-3xl gap-5">
          <Card
            title="Find the payer"
            description="Test and live mode are searched. Nothing is changed yet."
          >
            <Form form={form} label="Find the payer">
              <TextField
                form={form}
                name="email"
                label="E-mail"
                type="email"
                inputMode="email"
                autoComplete="off"
                spellCheck={false}
              />
              <SubmitButton className="justify-self-start">Show records</SubmitButton>
            </Form>
          </Card>
          {erased ? <Done erased={erased} /> : null}
          {found && !erased ? <Preview key={found.email} {...found} onErased={setErased} /> : null}
        </div>
      </OnlyFor>
    </>
  );
}

function Preview({ email, preview, onErased }: Found & { onErased: (erased: Erasure) => void }) {
  const { refusals, payment_links: links, subscriptions, tokenizations, payments } = preview;
  return (
    <Card title={`Records of ${email}`}>
      <div className="grid gap-5 wrap-anywhere">
        <ul className="grid list-disc gap-1 pl-5">
          <li>
            Subscriptions: {subscriptions.all}, {subscriptions.cancelled} to be cancelled
          </li>
          <li>
            Payment links: {links.all}, {links.cancelled} to be cancelled
          </li>
          <li>
            Saved methods: {tokenizations.all}, {tokenizations.revoked} to be revoked
          </li>
          <li>Payments: {payments}. They stay, without the payer.</li>
          <li>Customer with name, phone number and notes: {preview.customers}, to be deleted</li>
        </ul>
        <Remaining places={preview.remaining} />
        {refusals.length > 0 ? (
          <div role="status">
            <p className="font-medium text-bad">This payer can’t be erased yet.</p>
            <ul className="mt-1 grid list-disc gap-1 pl-5">
              {refusals.map(({ object, _id, mode, status }) => (
                <li key={_id}>
                  The {object} <span className="font-mono text-fine">{_id}</span> in {mode} mode is{" "}
                  {status}.
                </li>
              ))}
            </ul>
          </div>
        ) : (
          <Confirmation email={email} onErased={onErased} />
        )}
      </div>
    </Card>
  );
}

function Confirmation({ email, onErased }: { email: string; onErased: (erased: Erasure) => void }) {
  const { business } = useScope();
  const client = useQueryClient();
  const erase = useAction(erasePayer, { onProblem: () => undefined });
  const isTheirs = (typed: unknown) => String(typed).trim().toLowerCase() === email.toLowerCase();
  const form = useContractForm(PayerInput, {
    guard: false,
    defaults: { email: "" },
    // The keys send a form although its button is disabled.
    confirm: async (typed) => isTheirs(typed.email),
    submit: () => erase.runAsync({ body: { email } }),
    onSaved: (erased) => {
      // Records of every kind are changed. The live changes are those of one mode.
      void client.invalidateQueries({ queryKey: keys.business(business) });
      onErased(erased);
    },
  });
  const ready = isTheirs(useFieldValue(form, "email"));
  return (
    <Form form={form} label="Erase the payer" className="gap-3!">
      <TextField
        form={form}
        name="email"
        label="Type the address to confirm"
        hint="This can’t be undone, and the payer gets no mail about it."
        autoComplete="off"
        spellCheck={false}
      />
      <SubmitButton variant="danger" disabled={!ready} className="justify-self-start">
        Erase payer
      </SubmitButton>
    </Form>
  );
}

function Done({ erased }: { erased: Erasure }) {
  return (
    <Card title="The payer is erased">
      <div role="status" className="grid gap-5 wrap-anywhere">
        <p>
          {erased.subscriptions.cancelled} subscriptions and {erased.payment_links.cancelled}{" "}
          payment links were cancelled, {erased.tokenizations.revoked} saved methods revoked. Every
          record shows a placeholder instead of the person.
        </p>
        {erased.kept_at_gateway.length > 0 ? (
          <div>
            <p className="font-medium">Delete these customers at the payment provider yourself:</p>
            <ul className="mt-1 grid list-disc gap-1 pl-5">
              {erased.kept_at_gateway.map(({ tokenization_id: id, reason }) => (
                <li key={id}>
                  The one of token <span className="font-mono text-fine">{id}</span>: {reason}
                </li>
              ))}
            </ul>
          </div>
        ) : null}
        <Remaining places={erased.remaining} />
      </div>
    </Card>
  );
}

function Remaining({ places }: { places: ErasurePreview["remaining"] }) {
  return (
    <div>
      <h3 className="font-medium">Where copies stay</h3>
      <ul className="mt-1 grid list-disc gap-1 pl-5">
        {places.map(({ place, until }) => (
          <li key={place}>
            {place},{" "}
            {until ? (
              <>
                until <Time value={until} />
              </>
            ) : (
              "until they are deleted there"
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

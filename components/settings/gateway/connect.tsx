"use client";

import { useState } from "react";
import { Form, SubmitButton } from "@/components/form/form";
import { TextField } from "@/components/form/inputs";
import { useContractForm } from "@/components/form/use-contract-form";
import { Card } from "@/components/ui/card";
import { Field, Select } from "@/components/ui/fields";
import { useAction } from "@/lib/client/hooks";
import { notify } from "@/lib/client/notices";
import { useScope } from "@/lib/client/use-scope";
import { GatewayConnectionInput } from "@/lib/contract/gateway-connections";
import { connectGateway, getBusiness } from "@/lib/contract/operations";
import { gatewayTitle } from "@/lib/contract/payment-methods";
import { type ConnectableName, wordsOf } from "./words";

/** What is asked first. Stripe's webhook secret exists only once there is a connection, since it belongs to the callback address. */
const KeyAlone = GatewayConnectionInput.pick({ secret_key: true });
const KeyAndBrand = GatewayConnectionInput.pick({ secret_key: true, brand_id: true }).required();
const KeyAndCollection = GatewayConnectionInput.pick({
  secret_key: true,
  collection_id: true,
  webhook_secret: true,
}).required();
const EveryField = GatewayConnectionInput.omit({ gateway: true }).required();
const schemas: Record<
  ConnectableName,
  typeof KeyAlone | typeof KeyAndBrand | typeof KeyAndCollection
> = { stripe: KeyAlone, chip: KeyAndBrand, billplz: KeyAndCollection };

/** Asks for the key of an account at one of these gateways, which is asked before the key is kept. */
export function ConnectGateway({ names }: { names: readonly ConnectableName[] }) {
  const { mode } = useScope();
  const [chosen, setChosen] = useState<ConnectableName>(names[0] ?? "stripe");
  // Once it is connected, the chosen gateway is no longer among the names, and its key must leave the page.
  const at = names.includes(chosen) ? chosen : (names[0] ?? chosen);
  const words = wordsOf(at);
  return (
    <Card
      title={`Connect ${gatewayTitle(at)}`}
      description={`With a key of ${mode} mode, from ${words?.keyIn}. It is checked with ${gatewayTitle(at)}, kept encrypted and never shown again.`}
    >
      {names.length > 1 ? (
        <Field label="Payment provider" className="mb-4 max-w-xs">
          <Select
            value={at}
            onChange={({ target }) =>
              setChosen(names.find((name) => name === target.value) ?? chosen)
            }
          >
            {names.map((name) => (
              <option key={name} value={name}>
                {gatewayTitle(name)}
              </option>
            ))}
          </Select>
        </Field>
      ) : null}
      <Fields key={at} gateway={at} />
    </Card>
  );
}

function Fields({ gateway }: { gateway: ConnectableName }) {
  const { mode } = useScope();
  const words = wordsOf(gateway);
  const account = words?.account;
  const secret = words?.callbackSecret?.asked === "first" ? words.callbackSecret : null;
  const connect = useAction(connectGateway, {
    invalidates: [getBusiness],
    onProblem: () => undefined,
  });
  // One form for all: a schema without a field leaves it out of the body.
  const form = useContractForm(schemas[gateway] as typeof EveryField, {
    defaults: { secret_key: "", brand_id: "", collection_id: "", webhook_secret: "" },
    submit: (body) => connect.runAsync({ body: { gateway, ...body } }),
    onSaved: (made) =>
      notify({
        title: `Connected to ${made.account_name ?? made.account}`,
        description: words?.afterConnect ?? "",
        tone: "good",
      }),
  });
  return (
    <Form form={form} label="Connect a payment provider">
      <TextField
        form={form}
        name="secret_key"
        label="Secret key"
        hint={words?.keyHint(mode)}
        autoComplete="off"
        spellCheck={false}
        className="max-w-xl"
      />
      {account ? (
        <TextField
          form={form}
          name={account.field}
          label={account.label}
          hint={account.hint}
          autoComplete="off"
          spellCheck={false}
          className="max-w-xl"
        />
      ) : null}
      {secret ? (
        <TextField
          form={form}
          name="webhook_secret"
          label={secret.label}
          hint={secret.hint}
          autoComplete="off"
          spellCheck={false}
          className="max-w-xl"
        />
      ) : null}
      <SubmitButton className="justify-self-start">Check and connect</SubmitButton>
    </Form>
  );
}

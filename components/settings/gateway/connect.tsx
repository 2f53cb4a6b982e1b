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
import { type ConnectableName, titleOf, wordsOf } from "./words";

/** What is asked first: the callback address, and with it a webhook secret, exists only once there is a connection. */
const KeyAlone = GatewayConnectionInput.pick({ secret_key: true });
const KeyAndBrand = GatewayConnectionInput.pick({ secret_key: true, brand_id: true }).required();

/** Asks for the key of an account at one of these gateways, which is asked before the key is kept. */
export function ConnectGateway({ names }: { names: readonly ConnectableName[] }) {
  const { mode } = useScope();
  const [chosen, setChosen] = useState<ConnectableName>(names[0] ?? "stripe");
  const words = wordsOf(chosen);
  return (
    <Card
      title={`Connect ${titleOf(chosen)}`}
      description={`With a key of ${mode} mode, from ${words?.keyIn}. It is checked with ${titleOf(chosen)}, kept encrypted and never shown again.`}
    >
      {names.length > 1 ? (
        <Field label="Gateway" className="mb-4 max-w-xs">
          <Select
            value={chosen}
            onChange={({ target }) =>
              setChosen(names.find((name) => name === target.value) ?? chosen)
            }
          >
            {names.map((name) => (
              <option key={name} value={name}>
                {titleOf(name)}
              </option>
            ))}
          </Select>
        </Field>
      ) : null}
      {words?.brandHint ? (
        <Fields key={chosen} gateway={chosen} schema={KeyAndBrand} brandHint={words.brandHint} />
      ) : (
        <Fields key={chosen} gateway={chosen} schema={KeyAlone} brandHint={null} />
      )}
    </Card>
  );
}

type FieldsProps = {
  gateway: ConnectableName;
  schema: typeof KeyAlone | typeof KeyAndBrand;
  brandHint: string | null;
};

function Fields({ gateway, schema, brandHint }: FieldsProps) {
  const { mode } = useScope();
  const words = wordsOf(gateway);
  const connect = useAction(connectGateway, {
    invalidates: [getBusiness],
    onProblem: () => undefined,
  });
  const form = useContractForm(schema as typeof KeyAndBrand, {
    defaults: { secret_key: "", brand_id: "" },
    submit: (body) => connect.runAsync({ body: { gateway, ...body } }),
    onSaved: (made) =>
      notify({
        title: `Connected to ${made.account_name ?? made.account}`,
        description: words?.afterConnect ?? "",
        tone: "good",
      }),
  });
  return (
    <Form form={form} label="Connect a gateway">
      <TextField
        form={form}
        name="secret_key"
        label="Secret key"
        hint={words?.keyHint(mode)}
        autoComplete="off"
        spellCheck={false}
        className="max-w-xl"
      />
      {brandHint === null ? null : (
        <TextField
          form={form}
          name="brand_id"
          label="Brand ID"
          hint={brandHint}
          autoComplete="off"
          spellCheck={false}
          className="max-w-xl"
        />
      )}
      <SubmitButton className="justify-self-start">Check and connect</SubmitButton>
    </Form>
  );
}

"use client";

import { Form, SubmitButton } from "@/components/form/form";
import { TextField } from "@/components/form/inputs";
import { useContractForm } from "@/components/form/use-contract-form";
import { Card } from "@/components/ui/card";
import { useAction } from "@/lib/client/hooks";
import { notify } from "@/lib/client/notices";
import { useScope } from "@/lib/client/use-scope";
import { GatewayConnectionInput } from "@/lib/contract/gateway-connections";
import { connectGateway, getBusiness } from "@/lib/contract/operations";

/** What is asked first: the callback address, and with it the webhook secret, exists only once there is a connection. */
const KeyAlone = GatewayConnectionInput.pick({ secret_key: true });

/** Asks for the key of a Stripe account; Stripe is asked before it is kept. */
export function ConnectStripe() {
  const { mode } = useScope();
  const connect = useAction(connectGateway, {
    invalidates: [getBusiness],
    onProblem: () => undefined,
  });
  const form = useContractForm(KeyAlone, {
    defaults: { secret_key: "" },
    submit: (body) => connect.runAsync({ body }),
    onSaved: (made) =>
      notify({
        title: `Connected to ${made.account_name ?? made.account}`,
        description: "Now tell Stripe where to call back.",
        tone: "good",
      }),
  });
  return (
    <Card
      title="Connect Stripe"
      description={`With a key of ${mode} mode, from Stripe’s Developers → API keys. It is checked with Stripe, kept encrypted and never shown again.`}
    >
      <Form form={form} label="Connect Stripe">
        <TextField
          form={form}
          name="secret_key"
          label="Secret key"
          hint={`Begins with sk_${mode}_, or with rk_${mode}_ if it is a restricted one.`}
          autoComplete="off"
          spellCheck={false}
          className="max-w-xl"
        />
        <SubmitButton className="justify-self-start">Check and connect</SubmitButton>
      </Form>
    </Card>
  );
}

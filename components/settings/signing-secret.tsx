"use client";

import { useQueryClient } from "@tanstack/react-query";
import { Eye, EyeOff, RefreshCw } from "lucide-react";
import { useState } from "react";
import { OnlyFor } from "@/components/console/only-for";
import { Button } from "@/components/ui/button";
import { Card } from "@/components/ui/card";
import { CodeBlock } from "@/components/ui/code-block";
import { Confirm } from "@/components/ui/dialog";
import { ErrorState } from "@/components/ui/error-state";
import { PageHeader } from "@/components/ui/page-header";
import { Loading, Skeleton } from "@/components/ui/skeleton";
import { Tabs } from "@/components/ui/tabs";
import { useAction, useEndpoint } from "@/lib/client/hooks";
import { keys } from "@/lib/client/keys";
import { isRefusal } from "@/lib/client/problem";
import { notify } from "@/lib/client/notices";
import { useScope } from "@/lib/client/use-scope";
import { getSigningSecret, rollSigningSecret } from "@/lib/contract/operations";
import { hashSnippets, returnParameters } from "@/lib/contract/return-address";
import { languages } from "@/lib/contract/snippets";

const programs = languages.flatMap(({ id, name }) =>
  id === "curl" ? [] : [{ value: id, label: name, code: hashSnippets[id] }],
);

/** The secret that signs where payers come back to, and how a program checks it. */
export function SigningSecretSettings() {
  const { mode } = useScope();
  return (
    <>
      <PageHeader
        title="Signing secret"
        description={`Lets your program check that a return address comes from Kutip. This secret is for ${mode} mode.`}
      />
      <OnlyFor endpoint={getSigningSecret}>
        <div className="grid max-w-3xl gap-5">
          <Secret key={mode} />
          <Card
            title="How to check it"
            description="After a payment the payer’s browser goes to your return address with these values and their hash. Anyone can forge an address, so check the hash before you trust it."
          >
            <p className="mb-4 text-fine text-muted">
              {returnParameters.map(({ name }) => name).join(", ")}
            </p>
            <Tabs
              label="Language"
              items={programs.map(({ value, label, code }) => ({
                value,
                label,
                content: (
                  <CodeBlock
                    code={code}
                    label={`Check in ${label}`}
                    copyLabel={`Copy ${label} code`}
                  />
                ),
              }))}
            />
          </Card>
        </div>
      </OnlyFor>
    </>
  );
}

function Secret() {
  const { business, mode } = useScope();
  const scope = { business, mode };
  const client = useQueryClient();
  const [shown, setShown] = useState(false);
  const [asking, setAsking] = useState(false);
  const answer = useEndpoint(getSigningSecret, {}, { enabled: shown, once: true });
  // A secret that was read before may not be that of now: a colleague can roll it, and so can a request with a lost answer.
  const hide = () => {
    setShown(false);
    client.removeQueries({ queryKey: keys.call(scope, getSigningSecret, {}) });
  };
  const roll = useAction(rollSigningSecret, {
    onSuccess: (made) => {
      client.setQueryData(keys.call(scope, getSigningSecret, {}), made);
      setAsking(false);
      setShown(true);
      notify({
        title: "A new signing secret",
        description: "Put it where your program reads it now.",
        tone: "good",
      });
    },
  });
  const show = () => {
    if (answer.error) void answer.refetch();
    setShown(true);
  };
  const Icon = shown ? EyeOff : Eye;
  return (
    <Card
      title="The secret"
      actions={
        <>
          <Button onClick={shown ? hide : show} aria-expanded={shown}>
            <Icon aria-hidden="true" className="size-4" />
            {shown ? "Hide" : "Show"}
          </Button>
          <Button onClick={() => setAsking(true)}>
            <RefreshCw aria-hidden="true" className="size-4" />
            Roll…
          </Button>
        </>
      }
    >
      {!shown ? (
        <p className="font-mono text-muted">
          <span className="sr-only">Hidden</span>
          <span aria-hidden="true">••••••••••••••••••••••••</span>
        </p>
      ) : answer.data ? (
        <CodeBlock
          code={answer.data.secret}
          label="Signing secret"
          copyLabel="Copy signing secret"
        />
      ) : answer.error ? (
        <ErrorState error={answer.error} retry={() => void answer.refetch()} />
      ) : (
        <Loading label="Loading the secret">
          <Skeleton className="h-9" />
        </Loading>
      )}
      <Confirm
        title={`Roll the signing secret of ${mode} mode?`}
        confirm="Roll secret"
        cancel="Keep it"
        busy={roll.busy}
        open={asking}
        onOpenChange={setAsking}
        onConfirm={() =>
          void roll.runAsync({}).catch((problem) => {
            if (!isRefusal(problem)) hide();
          })
        }
      >
        <p>
          The old secret stops working now. Until your program has the new one, it will reject every
          return address.
        </p>
      </Confirm>
    </Card>
  );
}

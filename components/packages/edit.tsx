"use client";

import { Lock } from "lucide-react";
import Link from "next/link";
import { Form, SubmitButton } from "@/components/form/form";
import { FormPage } from "@/components/form/form-page";
import type { ContractForm } from "@/components/form/use-contract-form";
import { useEditForm } from "@/components/form/use-edit-form";
import { LinkButton } from "@/components/ui/link-button";
import { Card, Facts } from "@/components/ui/card";
import { Money } from "@/components/ui/money";
import { Day } from "@/components/ui/time";
import { useAction, useEndpoint } from "@/lib/client/hooks";
import { notify } from "@/lib/client/notices";
import { useScope } from "@/lib/client/use-scope";
import { getPackage, listSubscriptions, updatePackage } from "@/lib/contract/operations";
import { type Package, PackageUpdate } from "@/lib/contract/packages";
import { PackageFields } from "./fields";
import { frequencyLabel } from "./words";

/** Edits a package: every field before the first subscriber, then only its name and description. */
export function EditPackage({ id }: { id: string }) {
  const { path } = useScope();
  const found = useEndpoint(getPackage, { params: { package_id: id } });
  const subscribers = useEndpoint(listSubscriptions, { query: { package_id: id, per_page: 1 } });
  return (
    <FormPage
      title="Edit package"
      description={found.data ? `“${found.data.name}”.` : undefined}
      back={{ href: path(`/packages/${id}`), label: found.data?.name ?? "Package" }}
      does={updatePackage}
      what="packages"
      needs={[found, subscribers]}
      edits={{ kind: "package", id }}
    >
      {() =>
        found.data &&
        (subscribers.data?.data.length ? (
          <NameOnly key={id} subject={found.data} />
        ) : (
          <Everything key={id} subject={found.data} />
        ))
      }
    </FormPage>
  );
}

function useEditing(subject: Package) {
  const { path } = useScope();
  const update = useAction(updatePackage, { onProblem: () => undefined });
  const back = path(`/packages/${subject._id}`);
  const form = useEditForm(PackageUpdate, {
    kind: "package",
    record: subject,
    submit: (body) => update.runAsync({ params: { package_id: subject._id }, body }),
    onSaved: ({ name }, go) => {
      notify({ title: `“${name}” saved`, tone: "good" });
      go(back);
    },
  });
  return { form, back };
}

function Everything({ subject }: { subject: Package }) {
  const { form, back } = useEditing(subject);
  return (
    <Frame form={form} back={back}>
      <PackageFields form={form} />
    </Frame>
  );
}

function NameOnly({ subject }: { subject: Package }) {
  const { path } = useScope();
  const { form, back } = useEditing(subject);
  return (
    <Frame form={form} back={back}>
      <PackageFields form={form} only="what" />
      <Card title="What is charged">
        <p className="mb-4 flex items-start gap-2.5 text-muted">
          <Lock aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
          <span>
            These are fixed because the package has subscribers. For other terms,{" "}
            <Link
              href={path(`/packages/new?from=${subject._id}`)}
              className="text-accent underline underline-offset-3"
            >
              duplicate this package
            </Link>{" "}
            and cancel this one: it then takes no new subscribers. Current ones continue on their
            terms.
          </span>
        </p>
        <Facts
          items={[
            {
              label: "Amount",
              value: <Money amount={subject.amount} currency={subject.currency} />,
            },
            { label: "How often", value: frequencyLabel(subject.frequency) },
            {
              label: "Billing starts on",
              value: <Day value={subject.date_charge_start} />,
            },
          ]}
        />
      </Card>
    </Frame>
  );
}

function Frame({
  form,
  back,
  children,
}: {
  form: ContractForm<never>;
  back: string;
  children: React.ReactNode;
}) {
  return (
    <Form form={form} label="Package" className="max-w-3xl gap-5!">
      {children}
      <div className="flex flex-wrap gap-2">
        <SubmitButton>Save changes</SubmitButton>
        <LinkButton href={back} variant="ghost">
          Cancel
        </LinkButton>
      </div>
    </Form>
  );
}

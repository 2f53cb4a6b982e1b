"use client";

import { Lock } from "lucide-react";
import Link from "next/link";
import { useEffect, useRef } from "react";
import { Form, SubmitButton } from "@/components/form/form";
import { FormPage } from "@/components/form/form-page";
import { useEditForm } from "@/components/form/use-edit-form";
import { LinkButton } from "@/components/ui/link-button";
import { Card, Facts } from "@/components/ui/card";
import { Money } from "@/components/ui/money";
import { Day } from "@/components/ui/time";
import { useAction, useEndpoint } from "@/lib/client/hooks";
import { notify } from "@/lib/client/notices";
import { useScope } from "@/lib/client/use-scope";
import { getPackage, updatePackage } from "@/lib/contract/operations";
import { type Package, type PackageDetail, PackageUpdate } from "@/lib/contract/packages";
import { PackageFields, termNames } from "./fields";
import { frequencyLabel } from "./words";

/** Edits a package: every field before the first subscriber, then only its name and description. */
export function EditPackage({ id }: { id: string }) {
  const { path } = useScope();
  const found = useEndpoint(getPackage, { params: { package_id: id } });
  return (
    <FormPage
      title="Edit package"
      description={found.data ? `“${found.data.name}”.` : undefined}
      back={{ href: path(`/packages/${id}`), label: found.data?.name ?? "Package" }}
      does={updatePackage}
      what="packages"
      record={found}
      edits={{ kind: "package", id }}
    >
      {() => found.data && <Fields key={id} subject={found.data} />}
    </FormPage>
  );
}

function Fields({ subject }: { subject: PackageDetail }) {
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
  const { subscribed: fixed } = subject;
  const wasOpen = useRef(false);
  if (!fixed) wasOpen.current = true;
  const { resetField } = form.fields;
  // Terms that were typed before the first subscriber came would be refused, and their fields are gone.
  useEffect(() => {
    if (fixed) for (const name of termNames) resetField(name, { defaultValue: subject[name] });
  }, [fixed, subject, resetField]);
  return (
    <Form form={form} label="Package" className="max-w-3xl gap-5!">
      <PackageFields form={form} only={fixed ? "what" : undefined} />
      {fixed ? <Terms subject={subject} wasOpen={wasOpen.current} /> : null}
      <div className="flex flex-wrap gap-2">
        <SubmitButton>Save changes</SubmitButton>
        <LinkButton href={back} variant="ghost">
          Cancel
        </LinkButton>
      </div>
    </Form>
  );
}

/** What the subscribers have agreed to. */
function Terms({ subject, wasOpen }: { subject: Package; wasOpen: boolean }) {
  const { path } = useScope();
  return (
    <Card title="What is charged">
      <p role={wasOpen ? "status" : undefined} className="mb-4 flex items-start gap-2.5 text-muted">
        <Lock aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
        <span>
          {wasOpen ? (
            <strong className="font-medium text-ink">
              The first subscriber came while you had this open. These are now fixed, and changes to
              them were not saved.
            </strong>
          ) : (
            "These are fixed because the package has been subscribed to."
          )}{" "}
          For other terms,{" "}
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
  );
}

"use client";

import { useQueryClient } from "@tanstack/react-query";
import { formValues } from "@/components/form/edits";
import { Form, SubmitButton } from "@/components/form/form";
import { FormPage } from "@/components/form/form-page";
import { useRecentCurrencies } from "@/components/form/use-recent-currencies";
import { useContractForm } from "@/components/form/use-contract-form";
import { LinkButton } from "@/components/ui/link-button";
import { useAction, useEndpoint } from "@/lib/client/hooks";
import { keys } from "@/lib/client/keys";
import { notify } from "@/lib/client/notices";
import { useSameKey } from "@/lib/client/use-same-key";
import { useScope } from "@/lib/client/use-scope";
import type { Business } from "@/lib/contract/business";
import { createPackage, getBusiness, getPackage } from "@/lib/contract/operations";
import { type Package, PackageInput } from "@/lib/contract/packages";
import { dayIn } from "@/lib/client/ranges";
import { PackageFields } from "./fields";

/** A new package; `from` is the id of one to copy. */
export function CreatePackage({ from }: { from: string | null }) {
  const { path } = useScope();
  const business = useEndpoint(getBusiness, {});
  const original = useEndpoint(
    getPackage,
    { params: { package_id: from ?? "" } },
    { enabled: from !== null },
  );
  const recent = useRecentCurrencies(business.data);
  return (
    <FormPage
      title={from === null ? "New package" : "Duplicate package"}
      description={
        original.data ? `A copy of “${original.data.name}”, without its subscribers.` : undefined
      }
      back={{ href: path("/packages"), label: "Packages" }}
      does={createPackage}
      what="packages"
      record={from === null ? undefined : original}
      needs={from === null ? [business, recent.newest] : [business]}
    >
      {() =>
        business.data && (
          <Fields
            business={business.data}
            currency={recent.codes[0] ?? business.data.default_currency}
            original={original.data}
          />
        )
      }
    </FormPage>
  );
}

const blank = ({ time_zone: zone }: Business, currency: string) => ({
  name: "",
  description: "",
  amount: "",
  currency,
  frequency: "monthly",
  date_charge_start: dayIn(zone, new Date()),
});

type FieldsProps = { business: Business; currency: string; original: Package | undefined };

function Fields({ business, currency, original }: FieldsProps) {
  const scope = useScope();
  const client = useQueryClient();
  const keyFor = useSameKey();
  const create = useAction(createPackage, { onProblem: () => undefined });
  const form = useContractForm(PackageInput, {
    defaults: original ? formValues(PackageInput, original) : blank(business, currency),
    submit: (body) => create.runAsync({ body }, { idempotencyKey: keyFor(body) }),
    onSaved: (made, go) => {
      client.setQueryData(keys.call(scope, getPackage, { params: { package_id: made._id } }), {
        ...made,
        subscribed: false,
      });
      notify({ title: `“${made.name}” created`, tone: "good" });
      go(scope.path(`/packages/${made._id}`));
    },
  });
  return (
    <Form form={form} label="Package" className="max-w-3xl gap-5!">
      <PackageFields form={form} />
      <div className="flex flex-wrap gap-2">
        <SubmitButton>Create package</SubmitButton>
        <LinkButton href={scope.path("/packages")} variant="ghost">
          Cancel
        </LinkButton>
      </div>
    </Form>
  );
}

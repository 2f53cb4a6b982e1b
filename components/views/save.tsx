"use client";

import { useEffect, useRef } from "react";
import { Form, SubmitButton } from "@/components/form/form";
import { CheckboxField, TextField } from "@/components/form/inputs";
import { useContractForm } from "@/components/form/use-contract-form";
import { useFieldValue } from "@/components/form/use-field";
import { Dialog } from "@/components/ui/dialog";
import { ErrorState } from "@/components/ui/error-state";
import { useAction, useEndpoint } from "@/lib/client/hooks";
import { notify } from "@/lib/client/notices";
import { useMembership } from "@/lib/client/use-me";
import { useZone } from "@/lib/client/use-zone";
import { viewOf, type ViewsProps } from "@/lib/client/views";
import { createSavedView, listSavedViews, updateSavedView } from "@/lib/contract/operations";
import { SavedViewInput } from "@/lib/contract/saved-views";

const Named = SavedViewInput.pick({ name: true, shared: true });

/** Asks under what name the filters, order and columns of a list are kept, and for whom. */
export function SaveView({ onClose, ...props }: ViewsProps & { onClose: () => void }) {
  return (
    <Dialog
      title="Save this view"
      description="Filters, order and columns, as the list shows them now. If you reuse the name of one of your views, that view is replaced."
      open
      onOpenChange={(open) => !open && onClose()}
      focusField
    >
      <Fields {...props} onClose={onClose} />
    </Dialog>
  );
}

function Fields({ of, list, onClose }: ViewsProps & { onClose: () => void }) {
  const zone = useZone();
  const { role } = useMembership();
  const known = useEndpoint(listSavedViews, { query: { list: of } });
  const create = useAction(createSavedView, { onProblem: () => undefined });
  const update = useAction(updateSavedView, { onProblem: () => undefined });
  const ownView = (name: string) =>
    known.data?.find(
      (view) => view.mine && view.name === name && !(view.shared && role === "viewer"),
    );
  const form = useContractForm(Named, {
    defaults: { name: "", shared: false },
    submit: (body) => {
      const view = { ...viewOf(list, new Date(), zone), ...body };
      const own = ownView(body.name);
      return own
        ? update.runAsync({ params: { saved_view_id: own._id }, body: view })
        : create.runAsync({ body: { list: of, ...view } });
    },
    onSaved: ({ name, shared }) => {
      notify({
        title: `Saved as “${name}”`,
        description: shared ? "The team finds it under View." : "You find it under View.",
        tone: "good",
      });
      onClose();
    },
  });
  const shared = useFieldValue(form, "shared") === true;
  const replaced = ownView(String(useFieldValue(form, "name")).trim());
  const latest = useRef({ setValue: form.setValue, shared });
  latest.current = { setValue: form.setValue, shared };
  // A view that is replaced stays with whom it is for, unless that is changed here.
  const isForTeam = replaced?.shared;
  useEffect(() => {
    if (isForTeam === undefined) return;
    const before = latest.current.shared;
    latest.current.setValue("shared", isForTeam);
    return () => latest.current.setValue("shared", before);
  }, [isForTeam]);
  if (known.error && !known.data)
    return <ErrorState error={known.error} retry={() => void known.refetch()} />;
  return (
    <Form form={form} label="View">
      <TextField
        form={form}
        name="name"
        label="Name"
        autoComplete="off"
        hint={replaced && `Replaces ${isForTeam ? "the team’s" : "your"} view of this name.`}
      />
      {role === "viewer" ? null : (
        <CheckboxField
          form={form}
          name="shared"
          label="For the whole team"
          hint={isForTeam && !shared ? "It is gone for the rest of the team." : undefined}
        />
      )}
      <SubmitButton className="justify-self-start" disabled={!known.data}>
        Save view
      </SubmitButton>
    </Form>
  );
}

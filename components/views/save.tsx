"use client";

import { Form, SubmitButton } from "@/components/form/form";
import { CheckboxField, TextField } from "@/components/form/inputs";
import { useContractForm } from "@/components/form/use-contract-form";
import { Dialog } from "@/components/ui/dialog";
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
  const form = useContractForm(Named, {
    defaults: { name: "", shared: false },
    submit: (body) => {
      const view = { ...viewOf(list, new Date(), zone), ...body };
      const mine = known.data?.find(({ mine, name }) => mine && name === body.name);
      return mine
        ? update.runAsync({ params: { saved_view_id: mine._id }, body: view })
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
  return (
    <Form form={form} label="View">
      <TextField form={form} name="name" label="Name" autoComplete="off" />
      {role === "viewer" ? null : (
        <CheckboxField form={form} name="shared" label="For the whole team" />
      )}
      <SubmitButton className="justify-self-start">Save view</SubmitButton>
    </Form>
  );
}

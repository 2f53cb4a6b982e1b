"use client";

import * as z from "zod";
import { Form, SubmitButton } from "@/components/form/form";
import { RadioField } from "@/components/form/inputs";
import { useContractForm } from "@/components/form/use-contract-form";
import { Dialog } from "@/components/ui/dialog";
import { useAction } from "@/lib/client/hooks";
import { type ApiKey, type NewApiKey, RollInput } from "@/lib/contract/api-keys";
import { rollApiKey } from "@/lib/contract/operations";
import { overlapHours } from "@/lib/contract/values";

const overlaps = [
  {
    value: "0",
    label: "Not at all",
    hint: "The old key stops working now. Use this if it may have leaked.",
  },
  { value: "1", label: "1 hour" },
  { value: "24", label: "1 day" },
  { value: "72", label: "3 days" },
  { value: "168", label: "7 days" },
] as const;

const asked = RollInput.extend({ overlap_hours: z.enum(overlaps.map(({ value }) => value)) });

type RollKeyProps = {
  target: ApiKey | null;
  onClose: () => void;
  onMade: (key: NewApiKey) => void;
};

/** Makes the key that follows one, and asks how long the old one goes on; open while `target` is given. */
export function RollKey({ target, onClose, onMade }: RollKeyProps) {
  return (
    <Dialog
      title={`Roll “${target?.name ?? ""}”`}
      description="A new key of the same name works at once. Meanwhile you can put it where the old one is."
      open={target !== null}
      onOpenChange={(open) => !open && onClose()}
    >
      {target ? <Fields key={target._id} target={target} onMade={onMade} /> : null}
    </Dialog>
  );
}

// Apart from the dialog, so that what is chosen for one key ends with it.
function Fields({ target, onMade }: { target: ApiKey; onMade: (key: NewApiKey) => void }) {
  const roll = useAction(rollApiKey, { onProblem: () => undefined });
  const form = useContractForm(asked, {
    guard: false,
    defaults: { overlap_hours: String(overlapHours.default) },
    submit: ({ overlap_hours: hours }) =>
      roll.runAsync({ params: { key_id: target._id }, body: { overlap_hours: Number(hours) } }),
    onSaved: onMade,
  });
  return (
    <Form form={form} label="Roll key" className="gap-5!">
      <RadioField
        form={form}
        name="overlap_hours"
        label="How long the old key still works"
        options={overlaps}
      />
      <SubmitButton className="justify-self-start">Roll key</SubmitButton>
    </Form>
  );
}

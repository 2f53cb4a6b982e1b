"use client";

import { useState } from "react";
import { Button } from "@/components/ui/button";
import { Dialog } from "@/components/ui/dialog";
import { RadioGroup } from "@/components/ui/fields";
import { useAction } from "@/lib/client/hooks";
import type { ApiKey, NewApiKey } from "@/lib/contract/api-keys";
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
      <Fields target={target} onMade={onMade} />
    </Dialog>
  );
}

// Apart from the dialog, so that what is chosen for one key ends with it.
function Fields({ target, onMade }: Omit<RollKeyProps, "onClose">) {
  const [hours, setHours] = useState<string>(String(overlapHours.default));
  const roll = useAction(rollApiKey, { onSuccess: onMade });
  const submit = (event: React.FormEvent) => {
    event.preventDefault();
    if (target && !roll.busy)
      roll.run({ params: { key_id: target._id }, body: { overlap_hours: Number(hours) } });
  };
  return (
    <form onSubmit={submit} className="grid gap-5">
      <RadioGroup
        legend="How long the old key still works"
        name="overlap"
        options={overlaps}
        value={hours}
        onChange={(event) => setHours(event.target.value)}
      />
      <Button type="submit" variant="primary" busy={roll.busy} className="justify-self-start">
        Roll key
      </Button>
    </form>
  );
}

"use client";

import { useRef } from "react";
import { SelectField } from "@/components/form/inputs";
import type { ContractForm } from "@/components/form/use-contract-form";
import { useAction } from "@/lib/client/hooks";
import { createTestClock } from "@/lib/contract/operations";

const newClock = "new";

/** Chooses the clock that a new record of test mode follows. */
export const ClockField = ({
  form,
  hint,
}: {
  form: ContractForm<"test_clock_id">;
  hint: string;
}) => (
  <SelectField
    form={form}
    name="test_clock_id"
    label="It follows"
    none="The real clock"
    className="sm:col-span-2"
    options={[{ value: newClock, label: "A test clock of its own" }]}
    hint={hint}
  />
);

/** Returns what makes of the choice an id, with a new clock of this name where one is wanted. A try that was refused leaves its clock for the next one. */
export function useChosenClock() {
  const make = useAction(createTestClock, { onProblem: () => undefined });
  const made = useRef<string>(undefined);
  return async (choice: string | undefined, name: string): Promise<string | undefined> => {
    if (choice !== newClock) return choice;
    made.current ??= (
      await make.runAsync({ body: { name: name.slice(0, 100), now: new Date().toISOString() } })
    )._id;
    return made.current;
  };
}

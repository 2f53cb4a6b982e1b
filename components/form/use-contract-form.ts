"use client";

import { use, useEffect, useLayoutEffect, useRef, useState } from "react";
import {
  type DefaultValues,
  type FieldErrors,
  type FieldValues,
  useForm,
  type UseFormReturn,
} from "react-hook-form";
import type * as z from "zod";
import { DialogGuard } from "@/components/ui/dialog-guard";
import { holdPage } from "@/lib/client/leaving";
import { ApiProblem, problemText } from "@/lib/client/problem";
import { contractResolver } from "./contract-resolver";
import { sortErrors } from "./sort-errors";
import type { Stale } from "./edits";
import { useUnsavedGuard } from "./use-unsaved-guard";

type Schema = z.ZodObject;

type FormSetting<S extends Schema, Answer> = {
  /** What the fields start with, as they are written: text for text, minor units for amounts, ISO 8601 for moments. */
  defaults: { [K in keyof z.input<S>]-?: unknown };
  /** Asks before it sends; false leaves the form as it is. */
  confirm?: (values: z.output<S>) => Promise<boolean>;
  /** Sends what the schema made of the fields. Throw ApiProblem: a 422 goes to its fields, all else beside the submit button. */
  submit: (values: z.output<S>) => Promise<Answer>;
  /** Fields that a save uses up, such as a secret that is not shown again, with what they hold after it. */
  spent?: { [K in keyof z.input<S>]?: unknown };
  /** After a success. Leave the page by `go`, which asks nothing. */
  onSaved?: (answer: Answer, go: (href: string) => void) => void;
  /** False where leaving loses nothing, as on the sign-in page. Otherwise the page or dialog asks before it closes. */
  guard?: boolean;
  /** True where the caller shows what others have changed (409 `stale_version`), in place of a sentence. */
  showsStale?: boolean;
};

/** The names of a schema's fields. */
export type FieldName<S extends Schema> = keyof z.input<S> & string;

/** A form with fields of these names. A form that has more of them serves as well; `never` takes any form. */
export type ContractForm<Name extends string> = {
  schema: Schema;
  /** The library's own form, with unchecked names: only the fields in this folder use it. */
  fields: UseFormReturn<FieldValues>;
  setValue: (name: Name, value: unknown) => void;
  /** Starts again with these values. */
  reset: (values: { [K in Name]?: unknown }) => void;
  /** What cannot be said at a field. */
  problem: string | null;
  busy: boolean;
  onSubmit: (event?: React.BaseSyntheticEvent) => Promise<void>;
  unsaved: ReturnType<typeof useUnsavedGuard>;
  formRef: React.RefObject<HTMLFormElement | null>;
  /** The labels of the fields on the page, by name. A field that leaves the page leaves the map. */
  labels: Map<string, string>;
  /** Goes up when the fields are to be made anew, since their values came from elsewhere. */
  round?: number;
  /** What others saved while the form was open. */
  stale?: Stale;
};

/** A form over a schema of the contract (pick, omit, extend): checks as the API does; its fields say it in their own words. */
export function useContractForm<S extends Schema, Answer>(
  schema: S,
  {
    defaults,
    confirm,
    submit,
    spent = {},
    onSaved,
    guard = true,
    showsStale = false,
  }: FormSetting<S, Answer>,
): ContractForm<FieldName<S>> {
  const [problem, setProblem] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const running = useRef(false);
  const formRef = useRef<HTMLFormElement>(null);
  const [labels] = useState(() => new Map<string, string>());
  const fields = useForm<FieldValues>({
    defaultValues: defaults as DefaultValues<FieldValues>,
    resolver: contractResolver(schema),
    shouldFocusError: false,
  });
  const inDialog = use(DialogGuard);
  const dirty = guard && fields.formState.isDirty;
  const unsaved = useUnsavedGuard(dirty && !inDialog);
  // At once: the next key may be the one that closes the dialog.
  useLayoutEffect(() => {
    inDialog?.(dirty);
    return () => inDialog?.(false);
  }, [inDialog, dirty]);
  useEffect(() => (dirty ? holdPage() : undefined), [dirty]);
  // The first mistake, or else what went wrong as a whole, gets the focus once it is shown, which is after the sending.
  const refused = useRef(false);
  const [refusals, setRefusals] = useState(0);
  useEffect(() => {
    if (refusals === 0) return;
    const at = ["[aria-invalid=true]", "[role=alert][tabindex]"].map((one) =>
      formRef.current?.querySelector<HTMLElement>(one),
    );
    at.find(Boolean)?.focus();
  }, [refusals]);

  // What was written while it was sent is not saved, and stays.
  const settle = (sent: FieldValues) => {
    fields.reset({ ...sent, ...spent }, { keepValues: true });
    for (const [name, value] of Object.entries(spent))
      if (fields.getValues(name) === sent[name])
        fields.setValue(name, value, { shouldDirty: true });
  };

  const send = async (values: FieldValues) => {
    setProblem(null);
    const sent = fields.getValues();
    try {
      if (confirm && !(await confirm(values as z.output<S>))) return;
      const answer = await submit(values as z.output<S>);
      settle(sent);
      onSaved?.(answer, unsaved.go);
    } catch (error) {
      if (showsStale && error instanceof ApiProblem && error.code === "stale_version") return;
      const named =
        error instanceof ApiProblem && error.status === 422
          ? sortErrors(error.errors, [...labels.keys()])
          : { own: {}, other: [signedOut(error) ? signedOutText : problemText(error)] };
      for (const [name, text] of Object.entries(named.own))
        fields.setError(name, { type: "server", message: text });
      setProblem(named.other.join(" ") || null);
      refused.current = true;
    }
  };

  // A field that is not on the page can say nothing: the form says it.
  const refuse = (errors: FieldErrors) => {
    const unseen = Object.entries(errors).filter(
      ([name, error]) => !labels.has(name) || !error?.message,
    );
    setProblem(unseen.map(([, error]) => textOf(error)).join(" ") || null);
    refused.current = true;
  };

  const onSubmit = async (event?: React.BaseSyntheticEvent) => {
    event?.preventDefault();
    event?.stopPropagation();
    if (running.current) return;
    running.current = true;
    refused.current = false;
    setBusy(true);
    try {
      await fields.handleSubmit(send, refuse)();
    } finally {
      running.current = false;
      setBusy(false);
      if (refused.current) setRefusals((count) => count + 1);
    }
  };
  const setValue = (name: string, value: unknown) => fields.setValue(name, value);
  const reset = (values: FieldValues) => fields.reset(values);
  return { schema, fields, setValue, reset, problem, busy, onSubmit, unsaved, formRef, labels };
}

const signedOutText = "You were signed out. Sign in in another tab, then save again.";
const signedOut = (error: unknown) =>
  error instanceof ApiProblem && error.status === 401 && error.message === "Unauthenticated.";

/** The first message in an error; the error of a list is on one of its items. */
function textOf(error: unknown): string {
  if (typeof error !== "object" || error === null) return "";
  const { message } = error as { message?: unknown };
  return typeof message === "string"
    ? message
    : (Object.values(error).map(textOf).find(Boolean) ?? "");
}

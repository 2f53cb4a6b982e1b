"use client";

import { useRef, useState } from "react";
import type * as z from "zod";
import { useEndpoint } from "@/lib/client/hooks";
import { ApiProblem } from "@/lib/client/problem";
import type { LastEdit } from "@/lib/contract/last-edit";
import { getLastEdit } from "@/lib/contract/operations";
import type { versionedKinds } from "@/lib/contract/values";
import type { NamedActor } from "@/lib/contract/versions";
import { changesBetween, formValues, merged, type Stale } from "./edits";
import { type ContractForm, type FieldName, useContractForm } from "./use-contract-form";

type Versioned = { version: number; _id?: string };
type Values = Record<string, unknown>;

/** What a form holds besides the fields of its record. */
type Besides<S extends z.ZodObject, R> = {
  [K in Exclude<keyof z.input<S>, keyof R>]: unknown;
};

type EditSetting<S extends z.ZodObject, R extends Versioned> = {
  kind: (typeof versionedKinds)[number];
  /** The record as it is read; the live stream has it read again when it changes. */
  record: R;
  submit: (values: z.output<S> & Versioned) => Promise<R>;
  spent?: { [K in keyof z.input<S>]?: unknown };
  onSaved?: (saved: R, go: (href: string) => void) => void;
} & (keyof Besides<S, R> extends never ? { extra?: undefined } : { extra: Besides<S, R> });

type Refused = { current: Versioned; by: NamedActor | null; at: string | null };

/** A form that edits a record: it sends the version that it began with, and shows what others have changed since. */
export function useEditForm<S extends z.ZodObject, R extends Versioned>(
  schema: S,
  { kind, record, extra, submit, spent, onSaved }: EditSetting<S, R>,
): ContractForm<FieldName<S>> {
  const [began, setBegan] = useState<R>(record);
  const [refused, setRefused] = useState<Refused | null>(null);
  const [round, setRound] = useState(0);
  // A save that follows in the same moment must send the version that was just accepted.
  const seen = useRef(record.version);
  const valuesOf = (of: Versioned): Values => ({ ...extra, ...formValues(schema, of) });
  const form = useContractForm(schema, {
    defaults: valuesOf(began) as never,
    submit: async (values) => {
      try {
        const saved = await submit({ ...values, version: seen.current });
        seen.current = saved.version;
        setBegan(saved);
        setRefused(null);
        return saved;
      } catch (error) {
        setRefused(refusalOf(error));
        throw error;
      }
    },
    spent,
    onSaved,
    showsStale: true,
  });
  const current = refused && refused.current.version >= record.version ? refused.current : record;
  // The live stream reports a save before its own answer arrives.
  const changed = current.version > began.version && (refused !== null || !form.busy);
  const lastEdit = useEndpoint(
    getLastEdit,
    { query: { kind, id: record._id } },
    { enabled: changed && !refused },
  );
  // Shown with the name at once, unless that takes long.
  const naming = !refused && lastEdit.isLoading && lastEdit.failureCount === 0;
  if (!changed || naming) return { ...form, round };

  const edit = refused?.current === current ? refused : editOf(current, lastEdit.data);
  const [then, now] = [formValues(schema, began) as Values, formValues(schema, current) as Values];
  const mine = form.fields.getValues();
  const changes = changesBetween(then, now, mine);
  const accept = () => {
    seen.current = current.version;
    setBegan(current as R);
    setRefused(null);
  };
  const start = (values: Values) => {
    form.fields.reset(valuesOf(current));
    for (const [name, value] of Object.entries(values))
      form.fields.setValue(name, value, { shouldDirty: true });
    accept();
  };
  const stale: Stale = {
    changes,
    began: began as unknown as Values,
    now: current as unknown as Values,
    by: edit?.by ?? null,
    at: edit?.at ?? null,
    refused: refused !== null,
    takeOver: () => {
      start(merged(mine, changes));
      // Fields that keep a text of their own are made anew.
      setRound((count) => count + 1);
    },
    keepMine: () => {
      start(mine);
      if (refused) void form.onSubmit();
    },
  };
  return { ...form, round, stale };
}

/** Who made this version, when the answer is about it. */
const editOf = ({ version }: Versioned, last: LastEdit | undefined) =>
  last && last.version >= version ? { by: last.changed_by, at: last.changed_at } : null;

function refusalOf(error: unknown): Refused | null {
  if (!(error instanceof ApiProblem) || error.code !== "stale_version") return null;
  const { current, changed_by, changed_at } = error.details as {
    current: Versioned;
    changed_by: NamedActor | null;
    changed_at: string | null;
  };
  return { current, by: changed_by, at: changed_at };
}

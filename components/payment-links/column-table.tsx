"use client";

import { useId, useState } from "react";
import { Button } from "@/components/ui/button";
import { Card } from "@/components/ui/card";
import { Field, Input, Select } from "@/components/ui/fields";
import { minorFrom } from "@/lib/client/amounts";
import type { Table } from "@/lib/client/read-table";
import { HEADER_ROWS } from "@/lib/kernel/csv-dialect";
import { currencyCodes, currencyDigits } from "@/lib/kernel/currencies";
import { decimalAmount } from "@/lib/kernel/money";
import { guessAt, valuesOf } from "./import-columns";
import {
  columnLabel,
  currencyOf,
  type FieldName,
  importColumns,
  isField,
  type Matching,
  missingFields,
} from "./import-file";

type ColumnTableProps = {
  table: Table;
  matching: Matching;
  onSheet: (sheet: string) => void;
  onDone: (matching: Matching) => void;
  onAgain: () => void;
};

const fields: readonly FieldName[] = importColumns.flatMap(({ name }) =>
  name === "amount_decimal" ? [name, "amount" as const] : isField(name) ? [name] : [],
);
const leftOut = { value: "", label: "Leave out" };
const SAMPLES = 3;

/** A person says which column of a file is which field of a payment link. */
export function ColumnTable({ table, matching, onSheet, onDone, onAgain }: ColumnTableProps) {
  const [chosen, setChosen] = useState(matching);
  const [asked, setAsked] = useState(false);
  const missing = asked ? missingFields(chosen) : [];
  const { lines, workbook } = table;
  const columns = chosen.fields.map((field, at) => ({
    at,
    field,
    name: lines[chosen.header]?.[at] || `Column ${letters(at)}`,
    named: Boolean(lines[chosen.header]?.[at]),
    samples: [...new Set(valuesOf(lines, chosen.header, at))].slice(0, SAMPLES),
  }));
  const inCurrency = chosen.fields.indexOf("currency");
  const currency = currencyOf(
    chosen.fixed.currency || valuesOf(lines, chosen.header, inCurrency)[0] || "",
  );
  const choose = (column: number, field: FieldName | "") =>
    setChosen({
      ...chosen,
      // A field is in one column only.
      fields: chosen.fields.map((other, at) =>
        at === column ? field : other === field ? "" : other,
      ),
    });
  const done = () => {
    setAsked(true);
    if (missingFields(chosen).length === 0) onDone(chosen);
  };

  return (
    <>
      <Card
        title="Which column is what?"
        description={`${table.name}. We remember your answer in this browser for files with the same column names.`}
      >
        <div className="grid gap-x-5 gap-y-4 sm:grid-cols-2">
          {workbook && workbook.sheets.length > 1 ? (
            <Field label="Sheet">
              <Select
                value={workbook.sheet}
                options={workbook.sheets.map((name) => ({ value: name, label: name }))}
                onChange={({ target }) => onSheet(target.value)}
              />
            </Field>
          ) : null}
          <Field label="Column names">
            <Select
              value={String(chosen.header)}
              options={headerChoices(table)}
              onChange={({ target }) => setChosen(guessAt(lines, Number(target.value)).matching)}
            />
          </Field>
        </div>
        {workbook && workbook.hidden > 0 ? (
          <p className="mt-3 text-muted">
            {workbook.hidden === 1
              ? "1 hidden row is left out."
              : `${workbook.hidden.toLocaleString("en-GB")} hidden rows are left out.`}{" "}
            Show them in your spreadsheet program to import them.
          </p>
        ) : null}
        <ul
          aria-label="Columns of the file"
          className="mt-5 grid gap-x-5 gap-y-4 border-t border-line pt-5 sm:grid-cols-2"
        >
          {columns
            .filter(({ named, samples }) => named || samples.length > 0)
            .map(({ at, field, name, samples }) => (
              <li key={at} className="min-w-0">
                <Field
                  label={name}
                  hint={
                    <span className="block truncate" dir="auto" lang="">
                      {samples.map((text) => shownSample(text, field, currency)).join(" · ") ||
                        "Empty"}
                    </span>
                  }
                >
                  <Select
                    value={field}
                    options={[
                      leftOut,
                      ...fields.map((value) => ({
                        value,
                        label:
                          value === "amount_decimal" ? "Amount, such as 12.50" : columnLabel(value),
                      })),
                    ]}
                    onChange={({ target }) => choose(at, isField(target.value) ? target.value : "")}
                  />
                </Field>
              </li>
            ))}
        </ul>
      </Card>
      <SharedValues chosen={chosen} onChange={(fixed) => setChosen({ ...chosen, fixed })} />
      {missing.length > 0 ? (
        <p role="alert" className="rounded-control bg-bad-soft px-3.5 py-2.5 font-medium text-bad">
          {`Choose a column for ${listed(missing.map(columnLabel))}${missing.some(isShared) ? ", or write one value for every row" : ""}.`}
        </p>
      ) : null}
      <div className="flex flex-wrap gap-2">
        <Button variant="primary" onClick={done}>
          Check the rows
        </Button>
        <Button variant="ghost" onClick={onAgain}>
          Choose another file
        </Button>
      </div>
    </>
  );
}

const isShared = (field: FieldName) =>
  importColumns.some(({ name, shared }) => name === field && shared);

type SharedProps = { chosen: Matching; onChange: (fixed: Matching["fixed"]) => void };

/** Values for fields without a column. */
function SharedValues({ chosen: { fields: columns, fixed }, onChange }: SharedProps) {
  const list = useId();
  const open = fields.filter((name) => isShared(name) && !columns.includes(name));
  if (open.length === 0) return null;
  return (
    <Card
      title="The same for every row"
      description="For what has no column in your file. Of these, only the currency and whether e-mails are sent are remembered."
    >
      <datalist id={list}>
        {currencyCodes.map((code) => (
          <option key={code} value={code} />
        ))}
      </datalist>
      <div className="grid gap-x-5 gap-y-4 sm:grid-cols-2">
        {open.map((name) => {
          const value = fixed[name] ?? "";
          const set = (text: string) => onChange({ ...fixed, [name]: text });
          const column = importColumns.find((one) => one.name === name);
          return (
            <Field
              key={name}
              label={columnLabel(name)}
              optional={!column?.required}
              hint={name === "send_email" ? undefined : column?.text}
            >
              {name === "send_email" ? (
                <Select
                  value={value}
                  options={[
                    { value: "", label: "Yes" },
                    { value: "false", label: "No" },
                  ]}
                  onChange={({ target }) => set(target.value)}
                />
              ) : (
                <Input
                  value={value}
                  list={name === "currency" ? list : undefined}
                  onChange={({ target }) => set(target.value)}
                />
              )}
            </Field>
          );
        })}
      </div>
    </Card>
  );
}

const headerChoices = ({ lines, numbers }: Table) => [
  ...lines.slice(0, HEADER_ROWS).map((cells, at) => ({
    value: String(at),
    label: `Row ${numbers[at]}: ${cells.filter((text) => text !== "").join(", ")}`.slice(0, 80),
  })),
  { value: "-1", label: "The file has none" },
];

/** A value as it will be understood, so that 1250 in minor units is seen as 12.50. */
function shownSample(text: string, field: FieldName | "", currency: string): string {
  const minor =
    field === "amount" && /^\d{1,9}$/.test(text)
      ? Number(text)
      : field === "amount_decimal"
        ? minorFrom(text, currency, "decimal")
        : undefined;
  if (minor === undefined) return text;
  const shown = decimalAmount(minor, currencyDigits(currency) === undefined ? "USD" : currency);
  return shown === text ? text : `${text} → ${shown}`;
}

const letters = (at: number): string =>
  (at >= 26 ? letters(Math.floor(at / 26) - 1) : "") + String.fromCharCode(65 + (at % 26));

const listed = (names: readonly string[]) =>
  names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names.at(-1)}` : (names[0] ?? "");

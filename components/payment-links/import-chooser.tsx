"use client";

import { Download, FileUp } from "lucide-react";
import { useId, useState } from "react";
import { Button } from "@/components/ui/button";
import { Card } from "@/components/ui/card";
import { cx } from "@/components/ui/cx";
import { offerFile } from "@/lib/client/csv";
import { bulkLimits } from "@/lib/contract/values";
import { columnLabel, importColumns, isField, template } from "./import-file";

/** Where a file is dropped or chosen, beside the columns that it may have. */
export function ImportChooser({ onFile }: { onFile: (file: File | undefined) => void }) {
  const id = useId();
  const [over, setOver] = useState(false);
  return (
    <div className="grid items-start gap-5 lg:grid-cols-2">
      <Card>
        {/* biome-ignore lint/a11y/noStaticElementInteractions: dropping is only a short cut; the button below does the same */}
        <div
          onDragOver={(event) => {
            event.preventDefault();
            setOver(true);
          }}
          onDragLeave={() => setOver(false)}
          onDrop={(event) => {
            event.preventDefault();
            setOver(false);
            onFile(event.dataTransfer.files[0]);
          }}
          className={cx(
            "grid justify-items-start gap-4 rounded-control border-2 border-dashed p-6",
            over ? "border-fill bg-accent-soft" : "border-line",
          )}
        >
          <span
            aria-hidden="true"
            className="grid size-11 place-items-center rounded-full bg-accent-soft text-accent"
          >
            <FileUp className="size-5" />
          </span>
          <div>
            <label htmlFor={id} className="text-body font-semibold">
              Spreadsheet
            </label>
            <p className="mt-0.5 text-muted">
              An .xlsx or CSV file. Drop it here or choose it. At most{" "}
              {bulkLimits.rows.toLocaleString("en-GB")} rows.
            </p>
          </div>
          <input
            id={id}
            type="file"
            accept=".xlsx,.csv,.tsv,.txt,text/csv,application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
            onChange={(event) => onFile(event.target.files?.[0])}
            className="w-full file:mr-3 file:min-h-9.5 file:cursor-pointer file:rounded-control file:border file:border-fill-edge file:bg-fill file:px-3.5 file:font-medium file:text-on-fill"
          />
        </div>
      </Card>
      <Card
        title="Columns"
        description="In any order. The grey names are those of the template. Where your columns have other names, you choose once what each of them is."
        actions={
          <Button size="small" onClick={() => offerFile("payment-links.csv", template)}>
            <Download aria-hidden="true" className="size-3.5" />
            Template
          </Button>
        }
      >
        <dl className="grid gap-x-4 gap-y-1.5 text-fine sm:grid-cols-[9.5rem_1fr]">
          {importColumns.map(({ name, text, required }) => (
            <div key={name} className="contents max-sm:block">
              <dt>
                {isField(name) ? columnLabel(name) : name}
                <span className="block font-mono text-muted">{name}</span>
              </dt>
              <dd className="text-muted">
                {text}
                {required ? <span className="font-medium text-ink"> · required</span> : null}
              </dd>
            </div>
          ))}
        </dl>
      </Card>
    </div>
  );
}

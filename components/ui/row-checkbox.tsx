"use client";

import { useRef } from "react";
import type { Selection } from "./row-selection";

/** Selects a row; with Shift also those between it and the one before. */
export function RowCheckbox({
  id,
  label,
  selection,
}: {
  id: string;
  label: string;
  selection: Selection;
}) {
  const range = useRef(false);
  return (
    <Tick
      label={label}
      checked={selection.has(id)}
      onClick={(event) => (range.current = event.shiftKey)}
      onChange={() => selection.toggle(id, range.current)}
    />
  );
}

/** Selects all rows of the page. */
export function PageCheckbox({ label, selection }: { label: string; selection: Selection }) {
  const { ids, rows } = selection;
  const some = ids.length > 0 && ids.length < rows.length;
  return (
    <Tick
      ref={(box) => {
        if (box) box.indeterminate = some;
      }}
      label={label}
      checked={rows.length > 0 && ids.length === rows.length}
      onChange={selection.togglePage}
    />
  );
}

function Tick({ label, ...rest }: React.ComponentProps<"input"> & { label: string }) {
  return (
    <label className="grid size-8 cursor-pointer place-items-center">
      <input type="checkbox" aria-label={label} {...rest} className="size-4.5 accent-fill" />
    </label>
  );
}

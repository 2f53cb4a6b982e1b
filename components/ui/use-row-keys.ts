"use client";

import { useEffect, useRef } from "react";
import { isTyping, keyReader } from "@/lib/client/shortcuts";
import type { Selection } from "./row-selection";

export const rowKeys = ["j", "k", "x", "Escape"];
// After "g" a key names a section.
const known = [...rowKeys, ...rowKeys.map((key) => `g ${key}`)];

/** `j` and `k` go through the rows of a list, `x` selects the row that has the focus, Escape ends the selection. Enter opens a row, as a link does. */
export function useRowKeys(selection: Selection | undefined): void {
  const now = useRef(selection);
  now.current = selection;
  useEffect(() => {
    const read = keyReader(known);
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || isTyping(event.target)) return;
      const found = read(event, event.timeStamp);
      const leads = [...document.querySelectorAll<HTMLElement>("[data-row] [data-lead]")].filter(
        (lead) => lead.offsetParent !== null,
      );
      const row = document.activeElement?.closest<HTMLElement>("[data-row]");
      const at = leads.findIndex((lead) => row?.contains(lead));
      const step = { j: 1, k: -1 }[found ?? ""];
      if (step !== undefined && leads.length > 0) {
        event.preventDefault();
        const next = at < 0 ? (step > 0 ? 0 : leads.length - 1) : at + step;
        leads[Math.max(0, Math.min(leads.length - 1, next))]?.focus();
      } else if (found === "x" && row?.dataset.row && now.current) {
        event.preventDefault();
        now.current.toggle(row.dataset.row);
      } else if (found === "Escape" && now.current && now.current.ids.length > 0) {
        now.current.clear();
      }
    };
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  }, []);
}

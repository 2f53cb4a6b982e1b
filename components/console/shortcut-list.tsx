"use client";

import { Kbd } from "@/components/ui/kbd";
import { sections } from "./sections";

const general = [
  { keys: "Ctrl K", does: "Search and go anywhere" },
  { keys: "/", does: "The same, with one key" },
  { keys: "c", does: "Create a payment link" },
  { keys: "Ctrl Z", does: "Undo, while a notice offers it" },
  { keys: "j", does: "Next row of a list" },
  { keys: "k", does: "Row before" },
  { keys: "x", does: "Select the row" },
  { keys: "Escape", does: "End the selection" },
  { keys: "?", does: "This list" },
];

/** Every shortcut there is. */
export const shortcuts = [
  ...general,
  ...sections.map(({ key, label }) => ({ keys: `g ${key}`, does: `Go to ${label}` })),
];

/** Keys and what they do. */
export function ShortcutList() {
  return (
    <dl className="grid gap-x-8 gap-y-2 sm:grid-cols-2">
      {shortcuts.map(({ keys, does }) => (
        <div key={keys} className="flex items-center justify-between gap-4">
          <dt className="order-last">
            <Kbd keys={keys} />
          </dt>
          <dd>{does}</dd>
        </div>
      ))}
    </dl>
  );
}

"use client";

import Link from "next/link";
import type { ReactNode } from "react";

const ownMeaning = "a, button, input, label, select, textarea, summary, [role]";

/** A press on a row opens its record, as its lead does. What has a meaning of its own and selected text keep theirs. */
function openLead(event: MouseEvent): void {
  const pressed = event.target as Element;
  const row = pressed.closest("[data-row]");
  const lead = row?.querySelector<HTMLAnchorElement>("[data-lead]");
  if (!row || !lead || event.defaultPrevented) return;
  const meant = pressed.closest(ownMeaning);
  if ((meant && row.contains(meant)) || window.getSelection()?.isCollapsed === false) return;
  if (event.type === "auxclick") {
    if (event.button === 1) window.open(lead.href, "_blank", "noopener");
    return;
  }
  const { ctrlKey, metaKey, shiftKey } = event;
  const keys = { ctrlKey, metaKey, shiftKey };
  lead.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, ...keys }));
}

/** For the element around rows marked with `data-row`. */
export function openRows(list: HTMLElement | null): (() => void) | undefined {
  if (!list) return undefined;
  const kinds = ["click", "auxclick"] as const;
  for (const kind of kinds) list.addEventListener(kind, openLead);
  return () => {
    for (const kind of kinds) list.removeEventListener(kind, openLead);
  };
}

export function Lead({ href, children }: { href: string | undefined; children: ReactNode }) {
  if (!href) return children;
  return (
    <Link
      href={href}
      prefetch={false}
      data-lead
      className="inline-flex min-h-6 max-w-full items-center font-medium underline-offset-3 hover:underline *:min-w-0"
    >
      {children}
    </Link>
  );
}

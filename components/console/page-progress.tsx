"use client";

import { usePathname, useSearchParams } from "next/navigation";
import { useEffect, useState } from "react";

const DELAY_MS = 150;
const PATIENCE_MS = 10_000;

/** A line at the top of the window while the page of a pressed link is under way, where that takes more than a moment. */
export function PageProgress() {
  const address = `${usePathname()}?${useSearchParams()}`;
  const [left, setLeft] = useState<string>();
  useEffect(() => {
    const timers: ReturnType<typeof setTimeout>[] = [];
    const press = (event: MouseEvent) => {
      if (!leadsToPage(event)) return;
      timers.push(
        setTimeout(() => setLeft(address), DELAY_MS),
        // A press that led nowhere after all.
        setTimeout(() => setLeft(undefined), PATIENCE_MS),
      );
    };
    document.addEventListener("click", press);
    return () => {
      document.removeEventListener("click", press);
      timers.forEach(clearTimeout);
      // It does not come again with this page: nothing was pressed on it since.
      setLeft(undefined);
    };
  }, [address]);
  if (left !== address) return null;
  return (
    <div
      role="progressbar"
      aria-label="Loading the page"
      className="fixed inset-x-0 top-0 z-60 h-0.5 animate-[under-way_4s_both_ease-out] bg-accent"
    />
  );
}

function leadsToPage(event: MouseEvent): boolean {
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  if (!link || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return false;
  const here = window.location;
  return (
    link.origin === here.origin &&
    link.pathname.startsWith("/b/") &&
    link.pathname + link.search !== here.pathname + here.search &&
    !link.hasAttribute("download") &&
    (link.target === "" || link.target === "_self")
  );
}

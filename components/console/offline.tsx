"use client";

import { useRouter } from "next/navigation";
import { useEffect, useSyncExternalStore } from "react";
import { isWaiting, leave, watchWaiting } from "@/lib/client/leaving";

const watch = (changed: () => void) => {
  const events = ["online", "offline"];
  for (const event of events) window.addEventListener(event, changed);
  return () => {
    for (const event of events) window.removeEventListener(event, changed);
  };
};

/** Where a press on a link leads within this dashboard; undefined for everything else. */
function destinationOf(event: MouseEvent): string | undefined {
  const link = event.target instanceof Element && event.target.closest("a");
  if (event.defaultPrevented || !link || link.target || link.hasAttribute("download"))
    return undefined;
  if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return undefined;
  const { origin, pathname, search, hash } = new URL(link.href);
  if (origin !== window.location.origin || !pathname.startsWith("/b/")) return undefined;
  return pathname + search + hash;
}

/** Says that there is no network, and keeps the page: what was chosen meanwhile opens once the network is back. */
export function Offline() {
  const router = useRouter();
  const online = useSyncExternalStore(
    watch,
    () => navigator.onLine,
    () => true,
  );
  const waiting = useSyncExternalStore(watchWaiting, isWaiting, () => false);
  useEffect(() => {
    if (online) return;
    const hold = (event: MouseEvent) => {
      const destination = destinationOf(event);
      if (destination === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      leave(() => router.push(destination));
    };
    document.addEventListener("click", hold, { capture: true });
    return () => document.removeEventListener("click", hold, { capture: true });
  }, [online, router]);
  if (online) return null;
  return (
    <div
      role="status"
      className="fixed inset-x-0 bottom-0 z-50 border-t border-line bg-warn-soft px-4 py-2.5 text-center font-medium text-warn"
    >
      You are offline.{" "}
      {waiting
        ? "The page that you chose opens when the network is back."
        : "This page stays as it is."}
    </div>
  );
}

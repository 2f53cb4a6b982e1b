"use client";

import { useRouter } from "next/navigation";
import { useEffect, useState, useSyncExternalStore } from "react";
import { leave } from "@/lib/client/leaving";

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
  if (!link || link.target || link.hasAttribute("download")) return undefined;
  if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return undefined;
  const { origin, pathname, search, hash } = new URL(link.href);
  if (origin !== window.location.origin || !pathname.startsWith("/b/")) return undefined;
  return pathname + search + hash;
}

/** Says that there is no network, and keeps the page: a link pressed meanwhile is followed once the network is back. */
export function Offline() {
  const router = useRouter();
  const online = useSyncExternalStore(
    watch,
    () => navigator.onLine,
    () => true,
  );
  const [wanted, setWanted] = useState<string | null>(null);
  useEffect(() => {
    if (online) return;
    // Without an answer the router would load the whole page, which is the browser's error page now.
    const hold = (event: MouseEvent) => {
      const destination = destinationOf(event);
      if (destination === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      setWanted(destination);
    };
    document.addEventListener("click", hold, { capture: true });
    return () => document.removeEventListener("click", hold, { capture: true });
  }, [online]);
  useEffect(() => {
    if (!online || wanted === null) return;
    setWanted(null);
    leave(() => router.push(wanted));
  }, [online, wanted, router]);
  if (online) return null;
  return (
    <div
      role="status"
      className="fixed inset-x-0 bottom-0 z-50 border-t border-line bg-warn-soft px-4 py-2.5 text-center font-medium text-warn"
    >
      You are offline.{" "}
      {wanted === null
        ? "This page stays as it is."
        : "The page that you chose opens when the network is back."}
    </div>
  );
}

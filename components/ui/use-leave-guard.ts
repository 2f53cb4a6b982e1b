import { useRouter } from "next/navigation";
import { useCallback, useLayoutEffect, useRef } from "react";
import { type Guard, guardLeaving, isDoubled, leave } from "@/lib/client/leaving";

type LeaveGuard = {
  /** Leaves without asking. */
  go: (href: string) => void;
  /** Asks no more, until `kept` is true anew. */
  release: () => void;
};

/** While `kept`, the browser asks before the tab is closed, and `ask` before the page is left by a link, a shortcut or Back. */
export function useLeaveGuard(kept: boolean, ask: Guard): LeaveGuard {
  const router = useRouter();
  const latest = useRef(ask);
  latest.current = ask;
  const held = useRef<() => void>(undefined);
  const release = useCallback(() => held.current?.(), []);
  const go = useCallback(
    (href: string) => {
      release();
      if (isDoubled()) router.replace(href);
      else router.push(href);
    },
    [router, release],
  );
  useLayoutEffect(() => {
    if (!kept) return;
    const listening = new AbortController();
    const { signal } = listening;
    const click = (event: MouseEvent) => {
      const href = internalLink(event);
      if (!href) return;
      event.preventDefault();
      event.stopPropagation();
      leave(() => go(href));
    };
    window.addEventListener("beforeunload", (event) => event.preventDefault(), { signal });
    document.addEventListener("click", click, { capture: true, signal });
    const remove = guardLeaving((...leaving) => latest.current(...leaving));
    held.current = () => {
      listening.abort();
      remove();
    };
    return held.current;
  }, [kept, go]);
  return { go, release };
}

/** The path of a link that a plain click would follow in this tab; undefined for all else. */
function internalLink(event: MouseEvent): string | undefined {
  if (
    event.defaultPrevented ||
    event.button !== 0 ||
    event.metaKey ||
    event.ctrlKey ||
    event.shiftKey ||
    event.altKey
  )
    return undefined;
  const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
  if (
    !(link instanceof HTMLAnchorElement) ||
    link.target === "_blank" ||
    link.hasAttribute("download") ||
    link.origin !== window.location.origin
  )
    return undefined;
  if (link.pathname === window.location.pathname && link.hash !== "") return undefined;
  return link.pathname + link.search + link.hash;
}

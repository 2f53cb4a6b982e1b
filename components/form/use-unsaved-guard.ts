"use client";

import { useRouter } from "next/navigation";
import { useCallback, useEffect, useRef, useState } from "react";
import { guardLeaving, leave } from "@/lib/client/leaving";

type Unsaved = {
  asking: boolean;
  stay: () => void;
  discard: () => void;
  go: (href: string) => void;
};

/**
 * Asks before unsaved changes are lost: by closing the tab, by a link, by a shortcut, by Back.
 * `go` leaves without asking, for after saving.
 */
export function useUnsavedGuard(dirty: boolean): Unsaved {
  const router = useRouter();
  const [leaving, setLeaving] = useState<(() => void) | null>(null);
  // A second entry for this page, so that the first Back stays here and can be asked about.
  const doubled = useRef(false);
  const saved = useRef(false);

  const go = useCallback(
    (href: string) => {
      saved.current = true;
      if (doubled.current) router.replace(href);
      else router.push(href);
    },
    [router],
  );
  const ask = useCallback((next: () => void) => setLeaving(() => next), []);

  useEffect(() => {
    if (!dirty) return;
    saved.current = false;
    if (!doubled.current) {
      window.history.pushState(window.history.state, "", window.location.href);
      doubled.current = true;
    }
    const unload = (event: BeforeUnloadEvent) => {
      if (!saved.current) event.preventDefault();
    };
    const click = (event: MouseEvent) => {
      if (saved.current) return;
      const href = internalLink(event);
      if (!href) return;
      event.preventDefault();
      event.stopPropagation();
      leave(() => go(href));
    };
    window.addEventListener("beforeunload", unload);
    document.addEventListener("click", click, true);
    const release = guardLeaving((next) => (saved.current ? next() : ask(next)));
    return () => {
      window.removeEventListener("beforeunload", unload);
      document.removeEventListener("click", click, true);
      release();
    };
  }, [dirty, ask, go]);

  useEffect(() => {
    const here = window.location.href;
    const back = () => {
      if (!doubled.current || window.location.href !== here) return;
      doubled.current = false;
      if (!dirty || saved.current) window.history.back();
      else ask(() => window.history.back());
    };
    window.addEventListener("popstate", back);
    return () => window.removeEventListener("popstate", back);
  }, [dirty, ask]);

  return {
    asking: leaving !== null,
    stay: () => {
      setLeaving(null);
      if (doubled.current) return;
      window.history.pushState(window.history.state, "", window.location.href);
      doubled.current = true;
    },
    discard: () => {
      saved.current = true;
      setLeaving(null);
      if (leaving) leave(leaving);
    },
    go,
  };
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

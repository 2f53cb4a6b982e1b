"use client";

import { type ComponentType, useCallback, useSyncExternalStore } from "react";
import { notify } from "./notices";
import { isWriting } from "./shortcuts";

export type LatePart<T> = {
  now: () => T | undefined;
  /** Loads it, also where that failed before. Returns a function that unsubscribes. */
  watch: (changed: () => void, asked: boolean) => () => void;
};

/**
 * A file of scripts that is loaded after the page. Where that fails, the next press and the network's return try again while it is
 * watched. A notice says the failure if the part was asked for.
 */
export function latePart<T extends object>(load: () => Promise<T>): LatePart<T> {
  const watchers = new Set<{ changed: () => void; asked: boolean }>();
  let value: T | undefined;
  let loading = false;
  let waiting: AbortController | undefined;
  const request = () => {
    if (loading || value !== undefined) return;
    loading = true;
    waiting?.abort();
    load().then(
      (loaded) => {
        value = loaded;
        for (const { changed } of watchers) changed();
      },
      () => {
        loading = false;
        if (watchers.size > 0) waiting = retryLater(request);
        if ([...watchers].some(({ asked }) => asked)) sayMissing();
      },
    );
  };
  return {
    now: () => value,
    watch: (changed, asked) => {
      const watcher = { changed, asked };
      watchers.add(watcher);
      request();
      return () => {
        watchers.delete(watcher);
      };
    },
  };
}

function retryLater(request: () => void): AbortController {
  const waiting = new AbortController();
  const retry = (event: Event) => {
    if (mayRetry(event)) request();
  };
  // Rows and menus keep their presses to themselves: this sees them first.
  for (const name of ["online", "click", "keydown"])
    window.addEventListener(name, retry, { capture: true, signal: waiting.signal });
  return waiting;
}

function mayRetry({ type, target }: Event): boolean {
  if (type === "online") return true;
  // Without a network, the banner explains why a press does nothing.
  if (!navigator.onLine || (type === "keydown" && isWriting(target))) return false;
  // Dismissing the notice must not bring it back.
  return !(target instanceof Element && target.closest("[data-notices]"));
}

let shown: string | undefined;

function sayMissing(): void {
  const { onLine } = navigator;
  const description = onLine
    ? "Check the connection, or reload the page: there may be a new version."
    : "It loads when the network is back.";
  if (description === shown) return;
  shown = description;
  notify({
    title: "Part of this page did not load",
    description,
    tone: "bad",
    replaces: "missing-part",
    // After an upgrade only a reload helps: the old files are gone. Without a network it would lose the page.
    action: onLine ? { label: "Reload", run: () => window.location.reload() } : undefined,
    onClose: () => {
      shown = undefined;
    },
  });
}

/** A part as it is now: undefined until it has loaded, and on the server. A notice says its failure while it is `asked` for. */
export function useLater<T extends object>(part: LatePart<T>, asked: boolean): T | undefined {
  const watch = useCallback((changed: () => void) => part.watch(changed, asked), [part, asked]);
  return useSyncExternalStore(watch, part.now, () => undefined);
}

/** A component that loads when it is first drawn. `Loading` holds its place until then, and on the server. */
export function later<P extends object>(
  load: () => Promise<ComponentType<P>>,
  Loading?: ComponentType,
): ComponentType<P> {
  const part = latePart(load);
  return function Later(props: P) {
    // A dialog that is still closed loads in advance.
    const Loaded = useLater(part, !("open" in props) || props.open === true);
    if (Loaded) return <Loaded {...props} />;
    return Loading ? <Loading /> : null;
  };
}

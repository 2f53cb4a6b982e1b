type Guard = (go: () => void) => void;

/** One for each form with unsaved changes. The last one asks for all of them. */
let guards: readonly Guard[] = [];

/** Calls `ask` before the page is left, for a form with unsaved changes. Returns a function that removes it. */
export function guardLeaving(ask: Guard): () => void {
  guards = [...guards, ask];
  return () => {
    guards = guards.filter((one) => one !== ask);
  };
}

let waiting: (() => void) | undefined;
const watchers = new Set<() => void>();

function wait(go: (() => void) | undefined): void {
  waiting = go;
  for (const changed of watchers) changed();
}

function follow(): void {
  const go = waiting;
  wait(undefined);
  if (go) leave(go);
}

/**
 * Runs `go`, but first asks about unsaved changes. Use it to leave a page other than by a link.
 * Without a network the page stays, and the last `go` waits: the router would load the whole page, which is the browser's error page then.
 */
export function leave(go: () => void): void {
  const guard = guards.at(-1);
  if (!navigator.onLine) {
    window.addEventListener("online", follow, { once: true });
    wait(go);
  } else if (guard) guard(go);
  else go();
}

/** Whether the page is left as soon as there is a network. */
export const isWaiting = (): boolean => waiting !== undefined;

/** Calls `changed` whenever that changes. Returns a function that ends it. */
export function watchWaiting(changed: () => void): () => void {
  watchers.add(changed);
  return () => {
    watchers.delete(changed);
  };
}

let held = 0;

/** Holds the page while a form has unsaved changes. Returns a function that releases it. */
export function holdPage(): () => void {
  held += 1;
  return () => {
    held -= 1;
  };
}

export const isHeld = (): boolean => held > 0;

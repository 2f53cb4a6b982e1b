/** `byBack`: the browser's Back was pressed, and the page is still there. */
export type Guard = (go: () => void, byBack: boolean) => void;

/** One for each form with unsaved changes, and for each dialog that holds something. The last one asks for all of them. */
let guards: readonly Guard[] = [];

/** The address of the page of which the history was at its second entry. */
let doubledAt: string | undefined;

/** Whether the history is at the second entry of this page. The entry says so itself: a page can be left and come back to. */
export const isDoubled = (): boolean =>
  (window.history.state as { doubled?: string } | null)?.doubled === window.location.href;

/**
 * Calls `ask` before the page is left, for what would be lost. Returns a function that removes it. From here on the page has a second entry in
 * the history, so that the first Back stays here and can be asked about. The entry is not taken back: that takes a moment, and would undo the
 * way to another page that follows at once. Back passes over it later.
 */
export function guardLeaving(ask: Guard): () => void {
  guards = [...guards, ask];
  const { href } = window.location;
  if (!isDoubled()) window.history.pushState({ ...window.history.state, doubled: href }, "", href);
  doubledAt = href;
  window.addEventListener("popstate", passed);
  return () => {
    guards = guards.filter((one) => one !== ask);
  };
}

function passed(): void {
  const { href } = window.location;
  const isBack = doubledAt === href && !isDoubled();
  doubledAt = isDoubled() ? href : undefined;
  if (!isBack) return;
  const guard = guards.at(-1);
  if (guard) {
    // An entry that is added anew without a click or key would be passed over by the next Back.
    window.history.forward();
    guard(() => window.history.go(-2), true);
  } else window.history.back();
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
 * Runs `go`, but first asks about what would be lost. Use it to leave a page other than by a link.
 * Without a network the page stays, and the last `go` waits: the router would load the whole page, which is the browser's error page then.
 */
export function leave(go: () => void): void {
  const guard = guards.at(-1);
  if (!navigator.onLine) {
    window.addEventListener("online", follow, { once: true });
    wait(go);
  } else if (guard) guard(go, false);
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

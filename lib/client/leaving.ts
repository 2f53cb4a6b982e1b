type Guard = (go: () => void) => void;

let guard: Guard | undefined;

/** Calls `ask` before the page is left, for a form with unsaved changes. Returns a function that removes it. */
export function guardLeaving(ask: Guard): () => void {
  guard = ask;
  return () => {
    if (guard === ask) guard = undefined;
  };
}

/** Runs `go`, but first asks about unsaved changes. Use it to leave a page other than by a link. */
export function leave(go: () => void): void {
  if (guard) guard(go);
  else go();
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

type Guard = (go: () => void) => void;

let guard: Guard | undefined;

/** Lets a form with unsaved changes be asked before the page is left; gives back how to stop asking. */
export function guardLeaving(ask: Guard): () => void {
  guard = ask;
  return () => {
    if (guard === ask) guard = undefined;
  };
}

/** Runs `go`, after asking where something is unsaved. For every way off a page that is no link. */
export function leave(go: () => void): void {
  if (guard) guard(go);
  else go();
}

let held = 0;

/** Keeps the page while a form has unsaved changes. Returns how to release it. */
export function holdPage(): () => void {
  held += 1;
  return () => {
    held -= 1;
  };
}

export const isHeld = (): boolean => held > 0;

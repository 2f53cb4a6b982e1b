const MARK = "● ";

let marked = false;

/** A tab's title with the mark, while a payment has arrived and the page was not looked at since. */
export const withMark = (title: string): string => (marked ? MARK + title : title);

/** Marks the tab's title until the person moves, types or comes back to the page. */
export function markTab(): void {
  if (marked) return;
  marked = true;
  const name = () => {
    if (!document.title.startsWith(MARK)) document.title = withMark(document.title);
  };
  name();
  // The next page brings a title of its own.
  const head = new MutationObserver(name);
  head.observe(document.head, { childList: true, subtree: true, characterData: true });
  const signs = ["focus", "pointermove", "pointerdown", "keydown", "wheel"] as const;
  const seen = () => {
    if (document.visibilityState !== "visible") return;
    marked = false;
    head.disconnect();
    for (const sign of signs) window.removeEventListener(sign, seen);
    document.removeEventListener("visibilitychange", seen);
    document.title = document.title.replace(MARK, "");
  };
  for (const sign of signs) window.addEventListener(sign, seen, { passive: true });
  document.addEventListener("visibilitychange", seen);
}

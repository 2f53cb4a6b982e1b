export type Notice = {
  title: string;
  description?: string;
  tone?: "good" | "bad" | "plain";
  /** Offers Undo, by button and by Ctrl/Cmd+Z, for as long as the notice is shown. */
  undo?: () => void;
  /** Another button. The notice goes when it is pressed. */
  action?: { label: string; run: () => void };
  /** Takes the place of the notice with the same name, while that is shown. */
  replaces?: string;
  onClose?: () => void;
};

let show: ((notice: Notice) => void) | undefined;
const waiting: Notice[] = [];

/** Shows a notice in the corner. Screen readers read it out; a bad one interrupts them. */
export function notify(notice: Notice): void {
  if (show) show(notice);
  else waiting.push(notice);
}

/**
 * Subscribes `draw` to notices, first to those that came before it: the component that draws them loads after the page.
 * Returns a function that unsubscribes.
 */
export function drawNotices(draw: (notice: Notice) => void): () => void {
  show = draw;
  for (const notice of waiting.splice(0)) draw(notice);
  return () => {
    if (show === draw) show = undefined;
  };
}

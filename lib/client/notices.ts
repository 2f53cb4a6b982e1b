export type Notice = {
  title: string;
  description?: string;
  tone?: "good" | "bad" | "plain";
  /** Offers Undo, by button and by Ctrl/Cmd+Z, for as long as the notice is shown. */
  undo?: () => void;
};

let show: ((notice: Notice) => void) | undefined;
const waiting: Notice[] = [];

/** Shows a notice in the corner and says it to screen readers, a bad one at once. */
export function notify(notice: Notice): void {
  if (show) show(notice);
  else waiting.push(notice);
}

/** For the part that draws them, which comes after the page: gets what waits, and all that follow until it lets go. */
export function drawNotices(draw: (notice: Notice) => void): () => void {
  show = draw;
  for (const notice of waiting.splice(0)) draw(notice);
  return () => {
    if (show === draw) show = undefined;
  };
}

let ask: (() => Promise<boolean>) | undefined;
let asking: Promise<boolean> | undefined;

/** For the part that draws the question: `draw` asks the person and gives whether they confirmed. Returns how to let go. */
export function drawReauthentication(draw: () => Promise<boolean>): () => void {
  ask = draw;
  return () => {
    if (ask === draw) ask = undefined;
  };
}

/** Asks the person to confirm who they are, once for all calls that wait for it. False where they would not. */
export function reauthenticated(): Promise<boolean> {
  asking ??= (ask?.() ?? Promise.resolve(false)).finally(() => (asking = undefined));
  return asking;
}

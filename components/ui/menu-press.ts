import type { MouseEvent } from "react";

type Press = { onClick: () => void; onMouseDown: (event: MouseEvent) => void };

/** For the placeholder of a menu until its script has loaded. Opens on mouse down, as the menu does: otherwise a press is lost between the two. */
export const menuPress = (press: () => void): Press => ({
  onClick: press,
  onMouseDown: (event) => event.button === 0 && press(),
});

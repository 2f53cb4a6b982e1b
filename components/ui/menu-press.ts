import type { MouseEvent } from "react";

type Press = { onClick: () => void; onMouseDown: (event: MouseEvent) => void };

/** For what stands in a menu's place until its script is there: it opens as the menu itself does, as the mouse goes down, else a press is lost between the two. */
export const menuPress = (press: () => void): Press => ({
  onClick: press,
  onMouseDown: (event) => event.button === 0 && press(),
});

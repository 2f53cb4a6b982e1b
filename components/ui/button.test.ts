import type { MouseEvent } from "react";
import { expect, test } from "vitest";
import { Button, type ButtonProps } from "./button";

/** How often clicks reach the button's deed; `details` as the browser counts quick ones. */
function deeds(details: readonly number[], props: ButtonProps): number {
  let count = 0;
  const { onClick } = Button({ ...props, onClick: () => count++ }).props as ButtonProps;
  const preventDefault = () => undefined;
  for (const detail of details)
    onClick?.({ detail, preventDefault } as MouseEvent<HTMLButtonElement>);
  return count;
}

test.each<[string, readonly number[], ButtonProps, number]>([
  ["a double click", [1, 2], { once: true }, 1],
  ["three quick clicks", [1, 2, 3], { once: true }, 1],
  ["two presses of the Enter key", [0, 0], { once: true }, 2],
  ["a double click on a button that turns pages", [1, 2], {}, 2],
  ["a click while it is busy", [1], { busy: true }, 0],
])("%s does what it should as often as it should", (_, details, props, times) => {
  expect(deeds(details, props)).toBe(times);
});

/** True in a field that is written in: there even Ctrl/Cmd+Z belongs to the text. */
export function isWriting(target: EventTarget | null): boolean {
  const field =
    target instanceof Element ? target.closest("input,textarea,select,[contenteditable]") : null;
  return (
    field !== null &&
    !(field instanceof HTMLInputElement && ["checkbox", "radio", "button"].includes(field.type))
  );
}

/** True where a key belongs to what is being written or chosen in, not to us. */
export function isTyping(target: EventTarget | null): boolean {
  return (
    isWriting(target) ||
    (target instanceof Element &&
      target.closest("[role=dialog],[role=alertdialog],[role=menu],[role=listbox]") !== null)
  );
}

export type Pressed = { key: string; ctrlKey?: boolean; metaKey?: boolean; altKey?: boolean };

/** How long the second key of a pair such as "g p" may take. */
export const pairMs = 1_200;

/**
 * Reads single keys and pairs: gives the name of the shortcut that is complete ("c", "?", "g p"), or nothing. `at` is in milliseconds.
 * `known` are all names; a key that begins none is forgotten at once.
 */
export function keyReader(
  known: readonly string[],
): (pressed: Pressed, at: number) => string | undefined {
  const firsts = new Set(
    known.filter((name) => name.includes(" ")).map((name) => name.split(" ")[0]),
  );
  let waiting: { key: string; at: number } | undefined;
  return ({ key, ctrlKey, metaKey, altKey }, at) => {
    if (ctrlKey || metaKey || altKey) {
      waiting = undefined;
      return undefined;
    }
    if (key === "Shift") return undefined;
    const pair = waiting && at - waiting.at <= pairMs ? `${waiting.key} ${key}` : undefined;
    waiting = undefined;
    if (pair && known.includes(pair)) return pair;
    if (known.includes(key)) return key;
    if (firsts.has(key)) waiting = { key, at };
    return undefined;
  };
}

const DIGITS_COMPARED = 8;
const DIGITS_INDEXED = 4;

/** A phone number by its last digits: spaces, dashes and the country code vary between writers. */
export type Phone = {
  digits: string;
  /** The last four as people group them, to look the number up by: all, two or three of them behind a mark. */
  endings: string[];
};

/** The phone number that a text is; undefined where it is none. */
export function phoneIn(text: string): Phone | undefined {
  const all = text.replace(/\D/g, "");
  if (!/^\+?[\d\s().-]+$/.test(text.trim()) || all.length < DIGITS_COMPARED) return undefined;
  const ending = all.slice(-DIGITS_INDEXED);
  const split = (at: number) =>
    [" ", "-", "."].map((mark) => `${ending.slice(0, at)}${mark}${ending.slice(at)}`);
  return { digits: all.slice(-DIGITS_COMPARED), endings: [ending, ...split(2), ...split(1)] };
}

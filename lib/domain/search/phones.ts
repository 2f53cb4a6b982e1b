const DIGITS_COMPARED = 8;
const DIGITS_INDEXED = 4;

const digitsOf = (text: string): string => text.replace(/\D/g, "");

/** The last digits of a phone number in a text, to look it up by, as people group them: four, pairs or three. Empty where the text is no phone number. */
export function phoneEndings(text: string): string[] {
  const digits = digitsOf(text);
  if (!/^\+?[\d\s().-]+$/.test(text.trim()) || digits.length < DIGITS_COMPARED) return [];
  const ending = digits.slice(-DIGITS_INDEXED);
  const split = (at: number, by: string) => `${ending.slice(0, at)}${by}${ending.slice(at)}`;
  return [ending, split(2, " "), split(2, "-"), split(2, "."), split(1, " ")];
}

/** Compares the last eight digits: spaces, dashes and the country code vary between writers. */
export const isSamePhone = (one: string, other: string): boolean => {
  const digits = digitsOf(one);
  return (
    digits.length >= DIGITS_COMPARED &&
    digits.slice(-DIGITS_COMPARED) === digitsOf(other).slice(-DIGITS_COMPARED)
  );
};

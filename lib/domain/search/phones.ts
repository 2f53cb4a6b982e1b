const DIGITS_COMPARED = 8;
const DIGITS_INDEXED = 4;

const digitsOf = (text: string): string => text.replace(/\D/g, "");

/** The last digits of a phone number in a text, to look it up by; undefined where the text is no phone number. */
export function phoneEnding(text: string): string | undefined {
  const digits = digitsOf(text);
  return /^\+?[\d\s().-]+$/.test(text.trim()) && digits.length >= DIGITS_COMPARED
    ? digits.slice(-DIGITS_INDEXED)
    : undefined;
}

/** Compares the last eight digits: spaces, dashes and the country code vary between writers. */
export const isSamePhone = (one: string, other: string): boolean => {
  const digits = digitsOf(one);
  return (
    digits.length >= DIGITS_COMPARED &&
    digits.slice(-DIGITS_COMPARED) === digitsOf(other).slice(-DIGITS_COMPARED)
  );
};

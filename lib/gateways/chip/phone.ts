/** The calling codes of one and two digits by ITU-T E.164. All others have three. */
const callingCode = /^(?:[17]|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{3})/;
const MIN_DIGITS = 8;
const MAX_DIGITS = 15;

/**
 * A phone number as CHIP documents it: country code, space, number. Null for a text that is no phone number, or has no country code: Kutip takes free
 * text, and CHIP might refuse the purchase for it.
 */
export function phoneOf(text: string | null): string | null {
  if (text === null || !/^\s*\+[\d\s().-]+$/.test(text)) return null;
  const digits = text.replace(/\D/g, "");
  if (digits.length < MIN_DIGITS || digits.length > MAX_DIGITS) return null;
  const [code = ""] = callingCode.exec(digits) ?? [];
  return `+${code} ${digits.slice(code.length)}`;
}

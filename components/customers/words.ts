let names: Intl.DisplayNames | undefined;

/** A language by its English name. */
export function languageName(tag: string): string {
  try {
    names ??= new Intl.DisplayNames("en", { type: "language" });
    return names.of(tag) ?? tag;
  } catch {
    return tag;
  }
}

const offered = [
  ...["ms", "en", "zh-Hans", "zh-Hant", "ta", "id", "th", "vi", "fil", "my", "km", "ja", "ko"],
  ...["hi", "bn", "ur", "ar", "es", "fr", "de", "it", "pt", "nl", "ru", "tr"],
];

/** Languages to choose from: those that are common, and the one that the customer has. */
export const languageOptions = (own: string | null): { value: string; label: string }[] =>
  [...new Set(own === null ? offered : [...offered, own])]
    .map((value) => ({ value, label: languageName(value) }))
    .sort((a, b) => a.label.localeCompare(b.label));

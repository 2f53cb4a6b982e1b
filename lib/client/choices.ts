/** An entry of a list to choose from. It is found by its value, its label and these words. */
export type Choice = { value: string; label: string; words?: string };

const plain = (text: string) =>
  text
    .normalize("NFD")
    .replace(/\p{Mn}/gu, "")
    .toLowerCase();
const wordsOf = (text: string) => plain(text).split(/[\s,()/_–-]+/);

/** The entries that have a word beginning with each written word: the one of exactly this value first, then matches of the label. */
export function findChoices<C extends Choice>(choices: readonly C[], written: string): C[] {
  const sought = wordsOf(written).filter(Boolean);
  if (sought.length === 0) return plain(written).trim() === "" ? [...choices] : [];
  const has = (text: string) => {
    const words = wordsOf(text);
    return sought.every((one) => words.some((word) => word.startsWith(one)));
  };
  const rank = ({ value, label, words = "" }: Choice) =>
    plain(value) === plain(written).trim()
      ? 0
      : has(label)
        ? 1
        : has(`${value} ${label} ${words}`)
          ? 2
          : 3;
  return choices
    .map((choice) => ({ choice, at: rank(choice) }))
    .filter(({ at }) => at < 3)
    .sort((a, b) => a.at - b.at)
    .map(({ choice }) => choice);
}

/** The only entry that a text can mean: the one with this value or label, or the only one that is found. */
export function meantChoice<C extends Choice>(
  choices: readonly C[],
  written: string,
): C | undefined {
  const same = plain(written).trim();
  const found = findChoices(choices, written);
  return (
    found.find(({ value, label }) => plain(value) === same || plain(label) === same) ??
    (same !== "" && found.length === 1 ? found[0] : undefined)
  );
}

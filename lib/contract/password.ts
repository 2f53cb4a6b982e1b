import * as z from "zod";
import { commonPasswords, commonWords } from "./common-passwords";
import { documented } from "./fields";
import { passwordLength } from "./values";

const MIN_CONTEXT_LETTERS = 4;
/** Letters that a word's neighbours must add before it counts as a phrase. */
const MIN_OTHER_LETTERS = 4;
const MAX_PADDING = 6;

const rows = [
  "abcdefghijklmnopqrstuvwxyz",
  "qwertyuiopasdfghjklzxcvbnm",
  "01234567890",
  "1234567890",
];
const swapped: Record<string, string> = {
  "0": "o",
  "1": "i",
  "3": "e",
  "4": "a",
  "5": "s",
  "7": "t",
  "@": "a",
  $: "s",
};

const reversed = (text: string) => [...text].reverse().join("");

/** One character or a short unit over and over, such as `abcabcabcabc`. */
const isRepetition = (text: string) => /^(.{1,8}?)\1+.{0,3}$/s.test(text);

/** Neighbours of a row of keys, of the alphabet or of the digits, in either direction, again from the start or in a few pieces. */
function isSequence(text: string): boolean {
  let left = text;
  for (let pieces = 0; left.length > 0 && pieces < 3; pieces++) {
    let longest = 0;
    for (const row of rows)
      for (const one of [row + row, reversed(row + row)]) {
        let length = longest;
        while (length < left.length && one.includes(left.slice(0, length + 1))) length++;
        longest = Math.max(longest, length);
      }
    if (longest < 3) return false;
    left = left.slice(longest);
  }
  return left.length === 0;
}

const isPadding = (text: string) =>
  text.length <= MAX_PADDING || isRepetition(text) || isSequence(text);

/** A common word, also with digits for letters, and digits and signs around it. */
function isPaddedWord(text: string): boolean {
  const [, before = "", middle = "", after = ""] =
    /^([^a-z]*)([a-z](?:.*[a-z])?)([^a-z]*)$/s.exec(text) ?? [];
  if (middle === "" || !isPadding(before) || !isPadding(after)) return false;
  const word = middle.replace(/[013457@$]/g, (sign) => swapped[sign] ?? sign);
  return [commonPasswords, commonWords].some((set) => set.has(word)) || isSequence(word);
}

/** Whether little is left once the words that everybody knows of this account are taken out. */
function isContext(text: string, words: readonly string[]): boolean {
  let left = text;
  let found = false;
  for (const word of words)
    for (const part of [word, ...word.split(/[^\p{L}\p{N}]+/u)].map((one) => one.toLowerCase())) {
      if (part.length < MIN_CONTEXT_LETTERS || !left.includes(part)) continue;
      left = left.replaceAll(part, "");
      found = true;
    }
  return found && left.replace(/[^\p{L}]/gu, "").length < MIN_OTHER_LETTERS;
}

/** Whether a password is among the first that are tried: common, a pattern, or made of `context`, such as the person's address and business. */
export function isEasyToGuess(password: string, context: readonly string[] = []): boolean {
  const text = password.toLowerCase();
  const words = ["kutip", ...context.map((one) => one.split("@", 1)[0] ?? "")];
  return (
    commonPasswords.has(text) ||
    isRepetition(text) ||
    isSequence(text) ||
    isPaddedWord(text) ||
    isContext(text, words)
  );
}

/** Adds the rule to an object that holds a password beside what it must not be made of. */
export const notMadeOf = <T extends z.ZodObject>(schema: T, fields: readonly string[]): T =>
  schema.refine(
    (values: Record<string, unknown>) =>
      typeof values.password !== "string" ||
      isEasyToGuess(values.password) ||
      !isEasyToGuess(
        values.password,
        fields.map((name) => values[name]).filter((one) => typeof one === "string"),
      ),
    {
      path: ["password"],
      params: { rule: "guessable" },
      when: ({ value }) => typeof value === "object" && value !== null,
    },
  );

export const Password = z
  .string()
  .min(1, { abort: true })
  .min(passwordLength.min)
  .max(passwordLength.max)
  .refine((password) => !isEasyToGuess(password), { params: { rule: "guessable" } })
  .meta({
    description: "12 to 128 characters. Common passwords are refused.",
    ...documented({ type: "string", minLength: passwordLength.min, maxLength: passwordLength.max }),
  });

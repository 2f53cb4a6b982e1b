import { label as saidAs } from "@/lib/contract/field-label";
import { currencyDigits } from "@/lib/kernel/currencies";
import { displayAmount } from "@/lib/kernel/money";

/** What the API says of a field, in the form's own words: its label in place of the API's name, and how e-mail is written on screens. */
export function inFormWords(text: string, name: string, label: string): string {
  const said = escaped(saidAs([name]));
  return text
    .replaceAll(new RegExp(`\\bThe selected ${said} `, "g"), `The selected ${midSentence(label)} `)
    .replaceAll(new RegExp(`\\bThe ${said} field `, "g"), `${label} `)
    .replaceAll(new RegExp(`\\bThe ${said} `, "g"), `${label} `)
    .replaceAll(/must not be greater than (\d+ characters?)/g, "may have at most $1")
    .replaceAll(/\bemail\b/g, "e-mail");
}

/** What the API says of an amount, with its limits as people write them: "at least 500" is "at least USD 5.00". */
export function inMoneyWords(text: string, currency: string): string {
  if (currencyDigits(currency) === undefined)
    return limit.test(text) ? "Choose a currency: it decides what the amount may be." : text;
  return text.replace(
    limit,
    (_, words: string, minor: string) => `${words} ${displayAmount(Number(minor), currency)}`,
  );
}

/** A limit of an amount; one of a length goes on with "characters". */
const limit = /\b(at least|greater than) (\d+)\b/;

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");

// "URL" and the like stay as they are.
const midSentence = (label: string) =>
  /^.[A-Z]/.test(label) ? label : label.charAt(0).toLowerCase() + label.slice(1);

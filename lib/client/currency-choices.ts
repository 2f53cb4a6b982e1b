import { currencyCodes } from "@/lib/kernel/currencies";
import type { Choice } from "./choices";

/** Countries that use another country's currency or a shared one. Every other currency code begins with its country's code. */
const countries: Readonly<Record<string, string>> = {
  AUD: "AU CC CX KI NF NR TV",
  CHF: "CH LI",
  DKK: "DK FO GL",
  EUR: [
    "AD AT AX BE BG BL CY DE EE ES FI FR GF GP GR HR IE IT",
    "LT LU LV MC ME MF MQ MT NL PM PT RE SI SK SM VA XK YT",
  ].join(" "),
  GBP: "GB GG IM JE",
  ILS: "IL PS",
  MAD: "MA EH",
  NOK: "NO SJ BV",
  NZD: "NZ CK NU PN TK",
  USD: "US AS BQ EC FM GU IO MH MP PR PW SV TC TL UM VG VI",
  XAF: "CM CF TD CG GQ GA",
  XCD: "AG AI DM GD KN LC MS VC",
  XCG: "CW SX",
  XOF: "BJ BF CI GW ML NE SN TG",
  XPF: "NC PF WF",
  ZAR: "ZA LS NA",
};

const names = (type: "currency" | "region") =>
  typeof Intl.DisplayNames === "function"
    ? new Intl.DisplayNames("en", { type, fallback: "none" })
    : undefined;

function symbolsOf(code: string): string[] {
  return (["symbol", "narrowSymbol"] as const).flatMap((currencyDisplay) =>
    new Intl.NumberFormat("en", { style: "currency", currency: code, currencyDisplay })
      .formatToParts(0)
      .flatMap(({ type, value }) => (type === "currency" ? [value] : [])),
  );
}

let known: Choice[] | undefined;

/** Every currency that the contract takes, found by code, name, symbol and country. */
export function currencyChoices(): readonly Choice[] {
  if (known) return known;
  const [currency, region] = [names("currency"), names("region")];
  known = currencyCodes.map((code) => {
    const called = currency?.of(code);
    let words: string | undefined;
    return {
      value: code,
      label: called ? `${code} – ${called}` : code,
      // Built on the first search, since it needs hundreds of formatters.
      get words() {
        const places = (countries[code] ?? code.slice(0, 2)).split(" ");
        words ??= [...symbolsOf(code), ...places.map((place) => region?.of(place) ?? "")].join(" ");
        return words;
      },
    };
  });
  return known;
}

/** Moves these codes to the front, without duplicates. Returns all choices and how many were moved. */
export function leadingChoices(
  choices: readonly Choice[],
  codes: readonly string[],
): { choices: Choice[]; lead: number } {
  const first = [...new Set(codes)].flatMap(
    (code) => choices.find(({ value }) => value === code) ?? [],
  );
  return {
    choices: [...first, ...choices.filter((choice) => !first.includes(choice))],
    lead: first.length,
  };
}

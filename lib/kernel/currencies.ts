/**
 * ISO 4217 codes of currencies in circulation on 2026-11-20, by the digits of their minor unit.
 * Funds codes, metals, XXX and withdrawn codes (ANG, BGN, CUC, HRK …) are left out on purpose. Never taken from Intl, which rounds HUF, IDR, IQD.
 */
const codesByDigits: Readonly<Record<0 | 2 | 3, string>> = {
  0: `
    BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF`,
  2: `
    AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CNY COP CRC CUP CVE
    CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR
    KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD PAB
    PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY
    TTD TWD TZS UAH USD UYU UZS VED VES WST XCD XCG YER ZAR ZMW ZWG`,
  3: `
    BHD IQD JOD KWD LYD OMR TND`,
};

const digitsByCode = new Map<string, number>();
for (const [digits, codes] of Object.entries(codesByDigits)) {
  for (const code of codes.trim().split(/\s+/)) digitsByCode.set(code, Number(digits));
}

/** Every accepted currency code, in alphabetical order. */
export const currencyCodes: readonly string[] = [...digitsByCode.keys()].sort();

/** Digits after the decimal point of a currency (0, 2 or 3); undefined for a code that is not accepted. */
export function currencyDigits(code: string): number | undefined {
  return digitsByCode.get(code);
}

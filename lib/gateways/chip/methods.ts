import * as z from "zod";
import type { PayChoice, PayOption } from "@/lib/contract/values";
import { fpxBanks, isFpxBank } from "../fpx-banks";
import type { Connection, OfferedMethod, OffersAnswer } from "../gateway";
import { call, type ChipResult, readBankStates, unknown } from "./client";

/** CHIP's names of the methods that are a card. */
const cards = ["visa", "mastercard", "maestro"];

/** CHIP's names of DuitNow QR, the present one first. Brands list one or both. */
const qrCodes = ["dnqr", "duitnow_qr"];

/** E-wallets by CHIP's name of the method, with the code that its page takes beside it. */
const wallets: Record<string, { name: string; code: string }> = {
  razer_tng: { name: "Touch ’n Go eWallet", code: "TNG-EWALLET" },
  razer_grabpay: { name: "GrabPay", code: "GrabPay" },
  // Its present name first: a brand that lists both is offered once.
  shopee_pay: { name: "ShopeePay", code: "ShopeePay" },
  razer_shopeepay: { name: "ShopeePay", code: "ShopeePay" },
  razer_maybankqr: { name: "Maybank QR", code: "MB2U_QRPay-Push" },
};

const Methods = z.object({ available_payment_methods: z.array(z.string()) });

/** What CHIP offers for a brand. A bank that CHIP reports as down is not available; without a report all are. */
export async function offers(connection: Connection): Promise<OffersAnswer> {
  const result = await listed(connection);
  if (!result.ok) return unknown(result.trouble.reason);
  const names = result.value.available_payment_methods;
  const states = names.includes("fpx") ? await readBankStates() : {};
  return { kind: "offers", methods: offered(names, states) };
}

function listed(connection: Connection): Promise<ChipResult<z.output<typeof Methods>>> {
  const query = new URLSearchParams({ brand_id: connection.account ?? "", currency: "MYR" });
  return call(
    connection,
    "listing CHIP's ways to pay",
    { method: "GET", path: `/payment_methods/?${query}` },
    Methods,
  );
}

function offered(names: readonly string[], states: Record<string, string>): OfferedMethod[] {
  const own = walletsOf(names);
  const known = new Set([...cards, ...qrCodes, ...Object.keys(wallets), "fpx", "fpx_b2b1"]);
  const all: Array<OfferedMethod & { isOffered: boolean }> = [
    { method: "fpx", options: banksBy(states), isOffered: names.includes("fpx") },
    { method: "duitnow_qr", options: [], isOffered: names.some((name) => qrCodes.includes(name)) },
    { method: "card", options: [], isOffered: names.some((name) => cards.includes(name)) },
    { method: "ewallet", options: own.map(walletOption), isOffered: own.length > 0 },
    { method: "fpx_b2b1", options: [], isOffered: names.includes("fpx_b2b1") },
    { method: "other", options: [], isOffered: names.some((name) => !known.has(name)) },
  ];
  return all.flatMap(({ isOffered, ...method }) => (isOffered ? [method] : []));
}

const banksBy = (states: Record<string, string>): PayOption[] =>
  fpxBanks.map((bank) => ({ ...bank, isAvailable: (states[bank.code] ?? "A") === "A" }));

/** The wallets that a brand lists, each by one of its names. */
function walletsOf(names: readonly string[]): string[] {
  const own = Object.keys(wallets).filter((name) => names.includes(name));
  const titles = own.map((name) => wallets[name]?.name);
  return own.filter((_, index) => titles.indexOf(titles[index]) === index);
}

const walletOption = (code: string): PayOption => ({
  code,
  name: wallets[code]?.name ?? code,
  isAvailable: true,
});

/** CHIP's names of the methods that a choice allows; null for all of them. Asks which name of DuitNow QR the brand lists; without an answer both are allowed. */
export async function whitelistOf(
  connection: Connection,
  { method, option }: PayChoice,
): Promise<string[] | null> {
  switch (method) {
    case "card":
      return cards;
    case "fpx":
    case "fpx_b2b1":
      return [method];
    case "duitnow_qr": {
      const result = await listed(connection);
      const names = result.ok ? result.value.available_payment_methods : [];
      const name = qrCodes.find((one) => names.includes(one));
      return name ? [name] : qrCodes;
    }
    case "ewallet":
      return option !== null && option in wallets ? [option] : Object.keys(wallets);
    case "other":
      return null;
  }
}

/**
 * The address of CHIP's page with what the payer chose, so that the page is skipped where it has nothing to ask. CHIP's own plugins leave the
 * choice out in test mode, where the banks' pages do not exist. `allowed`: the names that the page is restricted to.
 */
export function addressFor(
  url: string,
  choice: PayChoice | null,
  allowed: readonly string[] | null,
  isTest: boolean,
): string {
  const query = choice === null || isTest ? null : preferred(choice, allowed ?? []);
  if (query === null) return url;
  const address = new URL(url);
  for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value);
  return address.href;
}

function preferred(
  { method, option }: PayChoice,
  [name = "", ...more]: readonly string[],
): Record<string, string> | null {
  const wallet = option === null ? undefined : wallets[option];
  switch (method) {
    case "fpx":
      return option !== null && isFpxBank(option)
        ? { preferred: "fpx", fpx_bank_code: option }
        : { preferred: "fpx" };
    case "fpx_b2b1":
      return { preferred: method };
    case "duitnow_qr":
      return more.length === 0 ? { preferred: name } : null;
    case "ewallet":
      return option !== null && wallet ? { preferred: option, razer_bank_code: wallet.code } : null;
    case "card":
    case "other":
      return null;
  }
}

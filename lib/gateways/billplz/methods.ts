import type { PayChoice, PayMethod, PayOption } from "@/lib/contract/values";
import { fpxBanks } from "../fpx-banks";
import type { Connection, OffersAnswer } from "../gateway";
import { call, unknown } from "./client";
import { Banks, PaymentMethods } from "./shapes";

/** Billplz asks to read its lists once an hour, and limits every read. */
const FRESH_SECONDS = 3_600;

/** Ways to pay by Billplz's codes. */
const methods: Record<string, PayMethod> = {
  fpx: "fpx",
  fpxb2b1: "fpx_b2b1",
  amexmbb: "card",
  ebpgmbb: "card",
  mpgs: "card",
  ocbc: "card",
  paydee: "card",
  secureacceptance: "card",
  senangpay: "card",
  twoctwop: "card",
  boost: "ewallet",
  touchngo: "ewallet",
  razerpaywallet: "ewallet",
  twoctwopwallet: "ewallet",
};

/** What a collection offers. Billplz's page shows all of it; only a bank of FPX can be chosen beforehand. */
export async function offers(connection: Connection): Promise<OffersAnswer> {
  const result = await call(
    connection,
    "listing Billplz's ways to pay",
    { method: "GET", path: `/v3/collections/${connection.account}/payment_methods` },
    PaymentMethods,
  );
  if (!result.ok) return unknown(result.trouble.reason);
  const active = result.value.payment_methods.filter((one) => one.active);
  const offered = new Set(active.map(({ code }) => methods[code] ?? "other"));
  const order: readonly PayMethod[] = ["fpx", "card", "ewallet", "fpx_b2b1", "other"];
  const banks = offered.has("fpx") ? await banksOf(connection) : [];
  return {
    kind: "offers",
    freshSeconds: FRESH_SECONDS,
    methods: order
      .filter((method) => offered.has(method))
      .map((method) => ({ method, options: method === "fpx" ? banks : [] })),
  };
}

/** The banks that both Billplz and we know by name; none when Billplz does not list them. */
async function banksOf(connection: Connection): Promise<PayOption[]> {
  const result = await call(
    connection,
    "listing Billplz's banks",
    { method: "GET", path: "/v3/fpx_banks" },
    Banks,
  );
  if (!result.ok) return [];
  const state = new Map(result.value.banks.map(({ name, active }) => [name, active]));
  return fpxBanks.flatMap(({ code, name }) => {
    const isAvailable = state.get(code);
    return isAvailable === undefined ? [] : [{ code, name, isAvailable }];
  });
}

/** The bank that a choice names; null where Billplz's page asks. */
export const bankOf = (choice: PayChoice | null | undefined): string | null =>
  choice?.method === "fpx" ? choice.option : null;

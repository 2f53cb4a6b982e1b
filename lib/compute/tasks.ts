import type { BulkInput, BulkRowInput } from "@/lib/contract/bulk";
import type { OtherDays } from "@/lib/contract/ledger";
import type { SpreadsheetRows } from "@/lib/contract/spreadsheets";
import type { StatementCurrency, StatementLine } from "@/lib/contract/statements";
import type { FieldErrors, ProblemCode } from "@/lib/kernel/problem";

/** A logo as it is kept: small, without metadata. */
export type EncodedLogo = {
  type: "image/png" | "image/jpeg";
  width: number;
  height: number;
  bytes: Uint8Array<ArrayBuffer>;
};
export type LogoRefusal = { refused: "type" | "sides" };

/** The business that a document on paper comes from. */
export type Letterhead = {
  business: {
    name: string;
    accent: string | null;
    supportEmail: string | null;
    supportPhone: string | null;
    timeZone: string;
  };
  logo: { type: EncodedLogo["type"]; bytes: Uint8Array } | null;
  test: boolean;
};

/** What a receipt shows. Moments are ISO 8601 UTC, amounts minor units. */
export type ReceiptContent = Letterhead & {
  title: string;
  amount: number;
  /** The last few refunds, newest first, and those before them. */
  refunds: readonly { amount: number; at: string }[];
  earlierRefunds: { count: number; amount: number };
  currency: string;
  /** Name and e-mail address, as far as they are known. */
  payer: readonly string[];
  method: string | null;
  references: readonly string[];
  paidAt: string;
  paymentId: string;
};

/** What a statement shows: the sums of a month and its first lines. Moments are ISO 8601 UTC, amounts minor units. */
export type StatementContent = Letterhead & {
  /** `YYYY-MM` */
  month: string;
  from: string;
  to: string;
  currencies: readonly StatementCurrency[];
  otherDays: OtherDays;
  lines: StatementLine[];
  /** How many lines the month has. */
  total: number;
};

/** A row of a bulk call after its fields were checked; of a bad one also its valid fields. */
export type CheckedRow =
  | { input: BulkRowInput }
  | { errors: FieldErrors; valid: Partial<BulkRowInput> };
/** A bulk call with its rows as JSON of CheckedRow[], in parts, so that thousands are never read in one go. */
export type BulkBody = Omit<BulkInput, "rows"> & { rows: Uint8Array[] };
/** A body after it was checked in a thread. A Problem travels as its parts: it loses its class on the way between threads. */
export type Checked<T> =
  | { ok: true; data: T }
  | { ok: false; errors: FieldErrors }
  | {
      ok: false;
      problem: {
        status: number;
        code: ProblemCode;
        message: string;
        errors: FieldErrors | undefined;
      };
    };

/** The work that runs in threads, by name: plain data in, plain data out. compute.ts implements it. */
export type Tasks = {
  receipt: (content: ReceiptContent) => Promise<Uint8Array<ArrayBuffer>>;
  statement: (content: StatementContent) => Promise<Uint8Array<ArrayBuffer>>;
  payerReceipt: Tasks["receipt"];
  qrPng: (text: string) => Promise<Uint8Array<ArrayBuffer>>;
  qrSvg: (text: string) => Promise<string>;
  bulk: (body: { text: string; csv: boolean }) => Promise<Checked<BulkBody>>;
  spreadsheet: (text: string) => Promise<Checked<SpreadsheetRows>>;
  logo: (bytes: Uint8Array) => Promise<EncodedLogo | LogoRefusal>;
};

/** A kind of work has its own waiting places in a business's queue. */
export const kindOf = {
  receipt: "receipt",
  payerReceipt: "payer_receipt",
  statement: "statement",
  qrPng: "image",
  qrSvg: "image",
  bulk: "bulk",
  spreadsheet: "spreadsheet",
  logo: "logo",
} as const satisfies Record<keyof Tasks, string>;

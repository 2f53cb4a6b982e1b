/** A logo as it is kept: small, without metadata. */
export type EncodedLogo = {
  type: "image/png" | "image/jpeg";
  width: number;
  height: number;
  bytes: Uint8Array<ArrayBuffer>;
};
export type LogoRefusal = { refused: "type" | "sides" };

/** What a receipt shows. */
export type ReceiptContent = {
  business: {
    name: string;
    accent: string | null;
    supportEmail: string | null;
    supportPhone: string | null;
    timeZone: string;
  };
  logo: { type: EncodedLogo["type"]; bytes: Uint8Array } | null;
  test: boolean;
  title: string;
  amount: number;
  refunded: number;
  currency: string;
  references: readonly string[];
  /** ISO 8601 UTC. */
  paidAt: string;
  paymentId: string;
};

/** The work that runs in threads, by name: plain data in, plain data out. compute.ts implements it. */
export type Tasks = {
  receipt: (content: ReceiptContent) => Promise<Uint8Array<ArrayBuffer>>;
  qrPng: (text: string) => Promise<Uint8Array<ArrayBuffer>>;
  qrSvg: (text: string) => Promise<string>;
  logo: (bytes: Uint8Array) => Promise<EncodedLogo | LogoRefusal>;
};

/** A kind of work has its own waiting places in a business's queue. */
export const kindOf = {
  receipt: "receipt",
  qrPng: "image",
  qrSvg: "image",
  logo: "logo",
} as const satisfies Record<keyof Tasks, string>;

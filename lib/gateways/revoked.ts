import type { Gateway } from "./gateway";

const reason = "This payment provider was disconnected.";
const unknown = async () => ({ kind: "unknown" as const, reason });

/** A gateway without keys: it begins nothing and cannot look anything up. A charge is declined softly, since nothing was sent and the method may be good. */
export const revokedGateway = ({ name, title, builtIn, savesMethods }: Gateway): Gateway => ({
  name,
  title,
  builtIn,
  accountField: null,
  origins: [],
  lookUpsPerMinute: Infinity,
  limitsByAddress: false,
  savesMethods,
  // What was sent before may have been taken: only the account itself can say.
  chargeIsIdempotent: false,
  refundIsIdempotent: true,
  provesAbsence: false,
  prepare: null,
  minimums: {},
  registerCallbacks: null,
  findMethod: null,
  attemptOfMethod: null,
  validateKey: () => null,
  validateCallbackSecret: () => null,
  checkKey: unknown,
  offers: unknown,
  beginPayment: async () => ({ kind: "refused", reason }),
  saveMethod: async () => ({ kind: "refused", reason }),
  charge: async () => ({ kind: "failed", gatewayId: "", decline: "soft", reason }),
  forgetCustomer: async () => ({ kind: "refused", reason }),
  cancel: unknown,
  find: unknown,
  listSince: unknown,
  refundSupport: async () => ({
    kind: "unsupported",
    reason: `${reason} Give the money back at ${title}, then record the refund here.`,
  }),
  refund: async () => ({ kind: "failed", reason }),
  findRefund: unknown,
  refundsAndDisputes: unknown,
  validateAmount: () => null,
  callbackReply: "",
  settleNow: async () => {},
  verifyCallback: async () => null,
});

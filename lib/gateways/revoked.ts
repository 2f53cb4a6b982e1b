import type { Gateway } from "./gateway";

const reason = "This gateway connection was revoked.";
const unknown = async () => ({ kind: "unknown" as const, reason });

/** Stands for a gateway whose keys are gone: what was begun there cannot be looked up, and nothing more is begun. Not sent is no word about the method. */
export const revokedGateway = ({ name, title, builtIn }: Gateway): Gateway => ({
  name,
  title,
  builtIn,
  origins: [],
  lookUpsPerMinute: Infinity,
  validateKey: () => null,
  checkKey: unknown,
  beginPayment: async () => ({ kind: "refused", reason }),
  saveMethod: async () => ({ kind: "refused", reason }),
  charge: async () => ({ kind: "failed", gatewayId: "", decline: "soft", reason }),
  cancel: unknown,
  find: unknown,
  listSince: unknown,
  refund: async () => ({ kind: "failed", reason }),
  findRefund: unknown,
  aftermath: unknown,
  refuses: () => null,
  settleNow: async () => {},
  verifyCallback: async () => null,
});

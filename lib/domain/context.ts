import type { Tx } from "@/db/client";
import type { Mode, Role } from "@/lib/contract/values";
import type { Actor } from "@/db/columns";

declare const minted: unique symbol;
/** A business with a proven right to act; only `mintBusinessId` creates one. */
export type BusinessId = number & { readonly [minted]: true };

/** Called where the right is proven: by authentication, by the payer door for the link it found, by the worker for the row it claimed. */
export const mintBusinessId = (id: number) => id as BusinessId;

/** The claim on an idempotency key under which this call runs. */
export type Claim = {
  scope: string;
  /** Tells this run from a later one that took the key over. */
  id: string;
  /** `meta.timestamp` of the answer that is kept. */
  timestamp: string;
  /** The payment or refund that a crashed run had started, or the test clock that it advanced. */
  begun: string | null;
  settled: boolean;
  /** The answer shows a secret once and is not kept. */
  secret: boolean;
};

/** What the audit log shall say of a call by staff or the operator; verbs may add to `details`, never a secret. */
export type AuditContext = {
  readonly action: string;
  /** Of the caller; null for a command of the operator. */
  readonly address: string | null;
  readonly details: Record<string, unknown>;
  /**
   * Holds the membership of the caller until the transaction ends. Throws 403 where their role no longer allows the call. Absent where more
   * than owners and admins may call.
   */
  readonly hold?: (tx: Tx) => Promise<unknown>;
  /** Mails the owners about a sensitive call, in the same transaction; also about what it does besides, which may be in the other mode. */
  readonly notify?: (
    tx: Tx,
    of: Pick<AuditContext, "action" | "address"> & { mode?: Mode },
  ) => Promise<void>;
  written: boolean;
};

/** For whom and how a call runs; the first argument of every statement on a tenant table. */
export type Ctx = {
  readonly businessId: BusinessId;
  readonly mode: Mode;
  readonly actor: Actor;
  readonly requestId: string;
  /** Of signed-in staff. */
  readonly role?: Role;
  /** The moment it counts as, ISO 8601 UTC with six digits, under a test clock; absent where the real clock counts. */
  readonly now?: string;
  /** Aborts when the caller disconnects; absent where no caller waits. */
  readonly disconnected?: () => AbortSignal;
  /** The version of the addressed record that the caller has seen; absent when the caller named none. */
  readonly seenVersion?: number;
  readonly claim?: Claim;
  readonly audit?: AuditContext;
};

/** A context of the service itself, for a row that the payer door or the worker has found. */
export function systemCtx(
  owner: { businessId: number; mode: Mode },
  actor: Actor,
  requestId: string,
): Ctx {
  return { businessId: mintBusinessId(owner.businessId), mode: owner.mode, actor, requestId };
}

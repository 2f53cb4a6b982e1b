import type { ConnectionRow } from "@/lib/domain/gateway-connections/rows";

type Row = Pick<ConnectionRow, "id" | "account" | "enabled">;

export type Connect =
  /** An account is connected in this mode. */
  | { kind: "refuse" }
  /** This account was connected before: its connection is used again, under the same callback address. */
  | { kind: "reconnect"; id: string }
  | { kind: "insert" };

/** How to connect an account of a gateway. `rows`: all connections to that gateway in this mode. */
export function decideConnect(rows: readonly Row[], account: string | null): Connect {
  if (rows.some(({ enabled }) => enabled)) return { kind: "refuse" };
  const earlier = rows.find((row) => row.account === account);
  return earlier ? { kind: "reconnect", id: earlier.id } : { kind: "insert" };
}

export type Change =
  | { kind: "not_found" }
  /** The gateway is part of test mode and has no secrets. */
  | { kind: "built_in" }
  | { kind: "revoked" }
  | { kind: "change" };

/** Whether the secrets of a connection can be replaced or revoked. */
export function decideChange(
  row: Pick<ConnectionRow, "revokedAt"> | undefined,
  builtIn: boolean,
): Change {
  if (!row) return { kind: "not_found" };
  if (builtIn) return { kind: "built_in" };
  return { kind: row.revokedAt === null ? "change" : "revoked" };
}

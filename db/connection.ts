import type pg from "pg";
import { env } from "@/lib/env";

// Sent at the start of each session; PgBouncer refuses it, so `?pgbouncer=true` leaves it out (the migration sets the zone on the database).
const session = "-c timezone=UTC -c statement_timeout=20s -c idle_in_transaction_session_timeout=15s -c lock_timeout=10s";

/** Connection options from DATABASE_URL; `?host=/folder` names a unix socket. Throws when the setting is missing. */
export function connectionOptions(url: string | undefined = env.DATABASE_URL): pg.ClientConfig {
  if (!url) throw new Error("DATABASE_URL is not set");
  const address = new URL(url);
  const options = address.searchParams.get("pgbouncer") === "true" ? {} : { options: session };
  address.searchParams.delete("pgbouncer");
  const socket = address.searchParams.get("host");
  if (!socket?.startsWith("/")) return { connectionString: address.href, ...options };
  const { username, password, pathname, port } = address;
  return {
    ...options,
    host: socket,
    ...(port ? { port: Number(port) } : {}),
    user: decodeURIComponent(username),
    ...(password ? { password: decodeURIComponent(password) } : {}),
    database: decodeURIComponent(pathname.slice(1)),
  };
}

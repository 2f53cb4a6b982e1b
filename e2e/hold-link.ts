import { sql } from "drizzle-orm";
import { db } from "@/db/client";

/** Locks a link: changes of it wait until the returned function is called. */
export async function holdLink(id: string): Promise<() => Promise<void>> {
  const held = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  const holding = db.transaction(async (tx) => {
    await tx.execute(sql`set local idle_in_transaction_session_timeout = 0`);
    await tx.execute(sql`select from payment_links where id = ${id} for no key update`);
    held.resolve();
    await end.promise;
  });
  await Promise.race([held.promise, holding]);
  return async () => {
    end.resolve();
    await holding;
  };
}

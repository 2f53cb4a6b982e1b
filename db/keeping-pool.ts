import pg from "pg";

/** Whether the server refused a statement and its session goes on. */
const isRefused = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.severity === "ERROR";

/**
 * A pool that goes on with a connection after the server has refused a statement. pg's own closes it. A server with a full disk, or without a
 * free place, gives no other, and reads would end with the first writes.
 */
export class KeepingPool extends pg.Pool {
  override query = (async (...asked: unknown[]) => {
    const client = await this.connect();
    let lost: unknown;
    try {
      return await (Reflect.apply(client.query, client, asked) as Promise<unknown>);
    } catch (error) {
      lost = isRefused(error) ? undefined : error;
      throw error;
    } finally {
      client.release(lost as Error | undefined);
    }
  }) as pg.Pool["query"];
}

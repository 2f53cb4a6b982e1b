import pg from "pg";

/**
 * Whether the server had no room for a statement, on its disk or in its memory (class 53), and its session goes on. After any other refusal the
 * connection may be what is wrong: its server takes no writes any more, or a prepared statement no longer fits.
 */
const hadNoRoom = (error: unknown): boolean =>
  error instanceof pg.DatabaseError &&
  error.severity === "ERROR" &&
  error.code?.startsWith("53") === true;

/** A pool that goes on with a connection when its server has no room. pg's own closes it. Such a server gives no other, and reads would end with the first writes. */
export class KeepingPool extends pg.Pool {
  override query = (async (...asked: unknown[]) => {
    const client = await this.connect();
    let lost: unknown;
    try {
      return await (Reflect.apply(client.query, client, asked) as Promise<unknown>);
    } catch (error) {
      lost = hadNoRoom(error) ? undefined : error;
      throw error;
    } finally {
      client.release(lost as Error | undefined);
    }
  }) as pg.Pool["query"];
}

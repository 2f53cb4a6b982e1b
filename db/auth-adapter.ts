import type { BetterAuthOptions } from "better-auth";
import { drizzleAdapter } from "better-auth/adapters/drizzle";
import { digest } from "@/lib/kernel/secrets";
import { db } from "./client";
import { accounts, passkeys, sessions, twoFactors, users, verifications } from "./schema/auth";

const schema = {
  user: users,
  session: sessions,
  account: accounts,
  verification: verifications,
  twoFactor: twoFactors,
  passkey: passkeys,
};
const plain = drizzleAdapter(db, { provider: "pg", schema, transaction: false });

type Adapter = ReturnType<typeof plain>;
type Condition = { field: string; value: unknown };
type Asked = {
  model: string;
  where?: Condition[];
  data?: Record<string, unknown>;
  update?: Record<string, unknown>;
};

/**
 * The database adapter of better-auth. It stores digests of session tokens instead of the tokens. A row that comes back carries the
 * token that was asked for, or the digest, which opens nothing.
 */
export function authAdapter(options: BetterAuthOptions): Adapter {
  const inner = plain(options);
  const hidden = (value: unknown): unknown =>
    typeof value === "string" ? digest(value) : Array.isArray(value) ? value.map(hidden) : value;
  const guarded =
    (method: (...asked: never[]) => Promise<unknown>) =>
    async (asked: Asked, ...rest: unknown[]) => {
      if (asked?.model !== "session") return method(...([asked, ...rest] as never[]));
      const tokens = new Map<unknown, string>();
      const note = (value: unknown) => {
        for (const one of Array.isArray(value) ? value : [value])
          if (typeof one === "string") tokens.set(digest(one), one);
        return hidden(value);
      };
      const within = (values: Record<string, unknown>) =>
        values.token === undefined ? values : { ...values, token: note(values.token) };
      const answer = await method(
        ...([
          {
            ...asked,
            ...(asked.where
              ? {
                  where: asked.where.map((one) =>
                    one.field === "token" ? { ...one, value: note(one.value) } : one,
                  ),
                }
              : {}),
            ...(asked.data ? { data: within(asked.data) } : {}),
            ...(asked.update ? { update: within(asked.update) } : {}),
          },
          ...rest,
        ] as never[]),
      );
      return restored(answer, tokens);
    };
  return new Proxy(inner, {
    get(target, name) {
      const value = Reflect.get(target, name) as unknown;
      if (name === "transaction")
        return async (body: (adapter: Adapter) => Promise<unknown>) => body(authAdapter(options));
      return typeof value === "function"
        ? guarded(value as (...asked: never[]) => Promise<unknown>)
        : value;
    },
  });
}

function restored(answer: unknown, tokens: Map<unknown, string>): unknown {
  if (Array.isArray(answer)) return answer.map((one) => restored(one, tokens));
  if (typeof answer !== "object" || answer === null || !("token" in answer)) return answer;
  return { ...answer, token: tokens.get(answer.token) ?? answer.token };
}

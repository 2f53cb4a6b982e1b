import type { GenericEndpointContext } from "better-auth";
import { APIError, getSessionFromCtx } from "better-auth/api";
import { isEasyToGuess } from "@/lib/contract/password";
import { unscopedBusinessesOf, unscopedFindUser } from "../users/rows";

/** Throws 400 for a new password that is easy to guess, also for one made of the person's e-mail address, name or businesses. */
export async function assertNotGuessable(ctx: GenericEndpointContext): Promise<void> {
  const { newPassword, token } = (ctx.body ?? {}) as { newPassword?: unknown; token?: unknown };
  if (typeof newPassword !== "string") return;
  const userId =
    ctx.path === "/change-password"
      ? (await getSessionFromCtx(ctx))?.user.id
      : ctx.path === "/reset-password" && typeof token === "string"
        ? (await ctx.context.internalAdapter.findVerificationValue(`reset-password:${token}`))
            ?.value
        : undefined;
  if (userId === undefined) return;
  const user = await unscopedFindUser(userId);
  const names = (await unscopedBusinessesOf(userId)).map(({ name }) => name);
  if (isEasyToGuess(newPassword, [...names, ...(user ? [user.email, user.name] : [])]))
    throw new APIError("BAD_REQUEST", {
      code: "password_guessable",
      message: "This password is too easy to guess.",
    });
}

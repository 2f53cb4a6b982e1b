import type { Tokenization, TokenizationInput } from "@/lib/contract/tokenizations";
import { newId, newToken } from "@/lib/kernel/ids";
import { digest, seal } from "@/lib/kernel/secrets";
import type { Ctx } from "../context";
import { emit } from "../events/emit";
import { commit } from "../idempotency/commit";
import { presentForEvent, presentTokenization } from "./present";
import { insertTokenization } from "./rows";

/** Makes a pending token. No mail goes out: the business hands the activation address to the payer. */
export async function create(ctx: Ctx, input: TokenizationInput): Promise<Tokenization> {
  const token = newToken();
  return commit(ctx, async (tx) => {
    const row = await insertTokenization(ctx, tx, newId(), {
      tokenDigest: digest(token),
      token: seal(token, "tokenization"),
      email: input.email,
      phoneNo: input.phone_no ?? null,
      redirectUrl: input.redirect_url ?? null,
      title: input.title,
      description: input.description,
    });
    await emit(ctx, tx, {
      type: "tokenization.created",
      objectId: row.id,
      data: presentForEvent(row),
    });
    return presentTokenization(row);
  });
}

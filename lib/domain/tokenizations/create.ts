import type { Tokenization, TokenizationInput } from "@/lib/contract/tokenizations";
import { newId, newToken } from "@/lib/kernel/ids";
import { digest, seal } from "@/lib/kernel/secrets";
import type { Ctx } from "../context";
import { assertSavesMethods } from "../gateway-connections/connected";
import { emit } from "../events/emit";
import { commit } from "../idempotency/commit";
import { presentForEvent, presentTokenization } from "./present";
import { insertTokenization } from "./rows";

/** Absent optional fields become null. */
function valuesOf(input: TokenizationInput) {
  const {
    email,
    phone_no,
    redirect_url,
    title,
    description,
    // A field of the contract that is missing here does not compile.
    ...unwritten
  } = input;
  return {
    email,
    phoneNo: phone_no ?? null,
    redirectUrl: redirect_url ?? null,
    title,
    description,
    ...(unwritten satisfies Record<string, never>),
  };
}

/** Makes a pending token. No mail goes out: the business hands the activation address to the payer. Throws 409 where no gateway saves methods. */
export async function create(ctx: Ctx, input: TokenizationInput): Promise<Tokenization> {
  await assertSavesMethods(ctx);
  const token = newToken();
  return commit(ctx, async (tx) => {
    const row = await insertTokenization(ctx, tx, newId(), {
      tokenDigest: digest(token),
      token: seal(token, "tokenization"),
      ...valuesOf(input),
    });
    await emit(ctx, tx, {
      type: "tokenization.created",
      objectId: row.id,
      data: presentForEvent(row),
    });
    return presentTokenization(row);
  });
}

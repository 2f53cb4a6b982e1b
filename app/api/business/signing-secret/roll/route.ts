import { rollSigningSecret } from "@/lib/contract/business";
import { rollSigningSecret as roll } from "@/lib/domain/businesses/manage";
import { defineRoute } from "@/lib/http/define-route";

export const POST = defineRoute(rollSigningSecret, ({ ctx }) => roll(ctx));

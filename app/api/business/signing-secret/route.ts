import { getSigningSecret } from "@/lib/contract/business";
import { getSigningSecret as show } from "@/lib/domain/businesses/manage";
import { defineRoute } from "@/lib/http/define-route";

export const GET = defineRoute(getSigningSecret, ({ ctx }) => show(ctx));

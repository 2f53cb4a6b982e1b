import { deleteLogo, putLogo } from "@/lib/contract/business";
import { removeLogo, setLogo } from "@/lib/domain/businesses/logo";
import { defineRoute } from "@/lib/http/define-route";

export const PUT = defineRoute(putLogo, ({ ctx, body }) => setLogo(ctx, body.image));
export const DELETE = defineRoute(deleteLogo, ({ ctx }) => removeLogo(ctx));

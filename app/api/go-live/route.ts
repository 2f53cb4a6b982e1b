import { getGoLive } from "@/lib/contract/overview";
import { goLive } from "@/lib/domain/overview/go-live";
import { defineRoute } from "@/lib/http/define-route";

export const GET = defineRoute(getGoLive, ({ ctx }) => goLive(ctx));

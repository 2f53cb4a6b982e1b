import { referenceResponse } from "@/components/reference/response";
import { publicRoute } from "@/lib/http/public-route";

export const GET = publicRoute(referenceResponse);

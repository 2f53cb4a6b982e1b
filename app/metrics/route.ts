import { frontDoor } from "@/lib/http/front-door";
import { metricsRoute } from "@/lib/http/metrics-route";

/** For Prometheus, behind METRICS_TOKEN. */
export const GET = frontDoor(metricsRoute);

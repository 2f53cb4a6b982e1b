import { counter, durations } from "@/lib/kernel/metrics";

const requests = counter("kutip_http_requests_total", "Requests that were answered.", [
  "route",
  "method",
  "status",
]);
const seconds = durations(
  "kutip_http_request_duration_seconds",
  "How long requests took until their answer began.",
  ["route"],
);

const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** What is no route of our own: pages and files of the dashboard, and what is refused before any route is found. */
export type OtherRoute = "page" | "static" | "none";

/** Counts an answered request. `route` is a declared pattern, never a path: a path may hold ids and secrets. */
export function countRequest(
  route: string | OtherRoute,
  method: string | undefined,
  status: number,
  beganMs: number,
): void {
  requests.inc({
    route,
    method: method !== undefined && METHODS.has(method) ? method : "other",
    status: `${Math.floor(status / 100)}xx`,
  });
  seconds.observe({ route }, (performance.now() - beganMs) / 1_000);
}

import { type Endpoint, newIdOf, now } from "./objects";
import { badRequest, missing, Refused } from "./refused";

/** The webhook endpoints of an account, with their secrets, newest first. */
export class Endpoints {
  readonly all: (Endpoint & { secret: string })[] = [];
  /** Whether the key lacks the permission, as a restricted one may. */
  forbidden = false;

  constructor(private readonly livemode: boolean) {}

  #assertAllowed(): void {
    if (this.forbidden)
      throw new Refused(403, {
        type: "invalid_request_error",
        message: "The provided key does not have the required permissions for this endpoint.",
      });
  }

  /** The answer shows the secret; nothing shows it again. */
  open(url: string, enabled_events: string[], api_version: string): Endpoint {
    this.#assertAllowed();
    if (!url.startsWith("https://") && this.livemode)
      throw badRequest("Invalid URL: The URL must be HTTPS.", "url_invalid");
    const endpoint = {
      object: "webhook_endpoint" as const,
      id: newIdOf("we"),
      created: now(),
      api_version,
      enabled_events,
      livemode: this.livemode,
      metadata: {},
      status: "enabled" as const,
      url,
      secret: newIdOf("whsec"),
    };
    this.all.unshift(endpoint);
    return endpoint;
  }

  list(): Endpoint[] {
    this.#assertAllowed();
    return this.all.map(({ secret: _, ...endpoint }) => endpoint);
  }

  close(id: string): void {
    this.#assertAllowed();
    const at = this.all.findIndex((one) => one.id === id);
    if (at < 0) throw missing("webhook endpoint", id);
    this.all.splice(at, 1);
  }
}

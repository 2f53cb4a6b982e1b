import { stripeEvents } from "@/lib/contract/gateway-events";
import { newId } from "@/lib/kernel/ids";
import type { Connection, RegisterAnswer } from "../gateway";
import { unknownBy } from "./answers";
import { apiVersion, call, type Trouble } from "./client";
import { Deleted, pageOf, WebhookEndpoint } from "./shapes";

type Account = Pick<Connection, "id" | "secret">;

const MAX_ENDPOINTS = 100;

/**
 * Makes a webhook endpoint at Stripe for this address: Stripe shows a secret once. The earlier ones of the address are deleted when the secret is
 * kept. So no event is missed, and two who do this at once do not delete each other's.
 */
export async function registerCallbacks(connection: Account, url: string): Promise<RegisterAnswer> {
  const listed = await call(connection, "Stripe's endpoints", pageOf(WebhookEndpoint), (stripe) =>
    stripe.webhookEndpoints.list({ limit: MAX_ENDPOINTS }),
  );
  if (!listed.ok) return refusal(listed.trouble);
  const made = await call(connection, "making an endpoint at Stripe", WebhookEndpoint, (stripe) =>
    stripe.webhookEndpoints.create(
      { url, enabled_events: [...stripeEvents], api_version: apiVersion, description: "Kutip" },
      { idempotencyKey: newId() },
    ),
  );
  if (!made.ok) return refusal(made.trouble);
  const { id, secret } = made.value;
  const earlier = listed.value.data.flatMap((one) => (one.url === url ? one.id : []));
  const end = async (isKept: boolean) => {
    await Promise.all((isKept ? earlier : [id]).map((one) => drop(connection, one)));
  };
  if (secret) return { kind: "registered", secret, end };
  await drop(connection, id);
  return { kind: "refused", reason: "Stripe gave no secret for its endpoint." };
}

const drop = (connection: Account, id: string) =>
  call(connection, "deleting an endpoint at Stripe", Deleted, (stripe) =>
    stripe.webhookEndpoints.del(id),
  );

/** A restricted key may lack the permission, and Stripe takes no address that it cannot reach. */
const refusal = (trouble: Trouble): RegisterAnswer =>
  trouble.kind === "silent" ? unknownBy(trouble) : { kind: "refused", reason: trouble.reason };

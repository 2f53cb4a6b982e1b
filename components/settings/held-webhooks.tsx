"use client";

import { Checkbox } from "@/components/ui/fields";
import { consolePath } from "@/lib/client/scope";
import { useScope } from "@/lib/client/use-scope";
import type { MemberSecrets, MemberWebhookEndpoint } from "@/lib/contract/team";

type Choice = { checked: boolean; change: (checked: boolean) => void };
type Held = {
  who: string;
  secrets: MemberSecrets;
  /** Whether the endpoints at addresses that they chose are disabled. */
  disable: Choice;
  /** Whether new signing secrets are made. */
  roll: Choice;
};

const knownWords = ({ address_chosen: address, secret_shown: secret }: MemberWebhookEndpoint) =>
  address && secret ? "address and secret" : address ? "address" : "secret";

/** Lists the webhook endpoints and signing secrets that a member knows, and asks what is done about them. */
export function HeldWebhooks({ who, secrets, disable, roll }: Held) {
  const { business } = useScope();
  const { webhook_endpoints: webhooks, signing_secrets: modes } = secrets;
  return (
    <>
      {webhooks.length > 0 ? (
        <>
          <p>
            Webhook endpoints with an address that {who} may have chosen, or a secret that {who}{" "}
            saw:
          </p>
          <ul aria-label="Webhook endpoints" className="list-disc pl-5">
            {webhooks.map((webhook) => (
              <li key={webhook._id} className="[overflow-wrap:anywhere]">
                <a
                  href={consolePath(
                    { business, mode: webhook.mode },
                    `/developers/webhooks/${webhook._id}`,
                  )}
                  target="_blank"
                  rel="noreferrer"
                  className="text-accent underline underline-offset-3"
                >
                  {webhook.url}
                </a>{" "}
                ({webhook.mode}, {knownWords(webhook)})
              </li>
            ))}
          </ul>
        </>
      ) : null}
      {webhooks.some((webhook) => webhook.address_chosen && webhook.enabled) ? (
        <Checkbox
          label={`Disable the endpoints with an address that ${who} may have chosen`}
          hint="They receive no events until someone enables them. Events of that time can then be sent again."
          checked={disable.checked}
          onChange={(event) => disable.change(event.target.checked)}
        />
      ) : null}
      {webhooks.some((webhook) => webhook.secret_shown) ? (
        <p>
          With a secret, someone can send your programs events that look like Kutip’s. Rotate it on
          the page of its endpoint.
        </p>
      ) : null}
      {modes.length > 0 ? (
        <>
          <p>
            The signing secret of {modes.join(" and ")} mode was shown to {who}. With it, someone
            can forge return addresses.
          </p>
          <Checkbox
            label="Create a new signing secret"
            hint="Your programs reject payers who come back until they have the new one."
            checked={roll.checked}
            onChange={(event) => roll.change(event.target.checked)}
          />
        </>
      ) : null}
    </>
  );
}

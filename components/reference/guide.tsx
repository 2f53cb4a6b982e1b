import { createPaymentLink, listPaymentLinks } from "@/lib/contract/payment-links";
import { hashSnippets, returnParameters } from "@/lib/contract/return-address";
import { languages, snippet } from "@/lib/contract/snippets";
import { eventTypes } from "@/lib/contract/values";
import { verifySnippets } from "@/lib/contract/webhook-snippets";
import type { OpenApi } from "@/lib/http/openapi";
import { currencyCodes } from "@/lib/kernel/currencies";
import { Code, CodeTabs } from "./code";
import { P, Section } from "./guide-section";
import { CurrencyDigits, Statuses } from "./guide-tables";
import { Prose } from "./text";

const pretty = (value: unknown) => JSON.stringify(value, null, 2);

/** The rules that hold for every endpoint. */
export function Guide({ document, baseUrl }: { document: OpenApi; baseUrl: string }) {
  const first = { email: "ana@example.com", currency: "MYR", amount: 12550, title: "Invoice 1042" };
  const inAll = (
    values: { query?: Record<string, string> },
    endpoint: typeof createPaymentLink | typeof listPaymentLinks,
  ) =>
    Object.fromEntries(
      languages.map(({ id }) => [
        id,
        snippet(endpoint, id, {
          baseUrl,
          ...values,
          ...(endpoint === createPaymentLink ? { body: first } : {}),
        }),
      ]),
    );
  const meta = { timestamp: "2026-11-20 13:34:45 UTC", timezone: "UTC" };
  return (
    <>
      <section id="start" className="guide hero" aria-labelledby="start-title">
        <div className="about">
          <h1 id="start-title">Collect payments with one JSON API</h1>
          <P text="Make a link, send its address to the payer, and the payer pays on a page that works on any phone. Save a payer's method once and charge it again. Bill subscribers by the day, the month or the year." />
          <dl className="base">
            <div>
              <dt>Base address</dt>
              <dd>
                <code>{baseUrl}/api</code>
              </dd>
            </div>
            <div>
              <dt>For machines</dt>
              <dd>
                <a href="/api/openapi.json">OpenAPI {document.openapi}</a>
              </dd>
            </div>
          </dl>
          <P text="Take a test key from your dashboard, put it into the variable `API_KEY`, and run the first example. Open the `payment_url` of the answer: in test mode a simulated gateway serves it and no money moves." />
        </div>
        <div className="codes">
          <CodeTabs
            id="first-call"
            caption="Make a payment link"
            texts={inAll({}, createPaymentLink)}
          />
        </div>
      </section>

      <Section
        id="authentication"
        code={
          <Code
            caption="401"
            text={pretty({ message: "Unauthenticated.", code: "unauthenticated", errors: {} })}
          />
        }
      >
        <P text="Send an API key with every call: `Authorization: Bearer sk_test_…`. A key belongs to one business and one mode. Whatever it cannot see is answered like something that does not exist." />
        <P text="A key is shown once, when it is made. Keep it on your server, never in a page or an app. Rolling a key makes a new one that works at once while the old one keeps working for up to seven days; a revoked key is refused within a second." />
      </Section>

      <Section
        id="amounts"
        code={
          <Code
            caption="MYR 125.50 in a request and in the answer"
            text={`{ "amount": 12550, "currency": "MYR" }\n\n{ "amount": 12550, "amount_decimal": "125.50", "currency": "MYR" }`}
          />
        }
      >
        <P text="**Amounts are in minor units.** For MYR 12.50 send `1250`; `12.50` is refused. Nothing is converted: `1250` that was meant as 1,250 ringgit is charged as MYR 12.50." />
        <P text="An `amount` is a whole number of the currency's **own minor units by ISO 4217**. Most currencies have two digits, some have none, a few have three. From 500 to 3,000,000 minor units can be collected at once." />
        <CurrencyDigits />
        <P text="**Shop plugins made for Swipe or Payje** send major units and speak another interface. Do not point them at this address: an order of RM 1,000 would be charged as RM 10. They use `/api/v1`; connect them in Settings → Shop plugins. A new link with their mark in `reference_2` and the User-Agent `GuzzleHttp/` is refused; if that is your own code and it sends minor units, add the header `Kutip-Amount-Unit: minor`." />
        <P text="Send a JSON integer, or a string of digits. Fractions, signs, exponents in strings and blanks are refused, never rounded: the text of the number decides, so `500.0` is 500 and `499.99999999999999999` is refused. Answers give an integer, and `amount_decimal` for people." />
        <P
          text={`\`currency\` is three uppercase letters and one of ${currencyCodes.length} codes of currencies in circulation. Funds codes, metals and withdrawn currencies are refused.`}
        />
      </Section>

      <Section id="requests">
        <P text="A body is one JSON object with `Content-Type: application/json`, in UTF-8 and at most 64 KiB. Repeated keys and nesting deeper than 16 levels are refused. Strings are trimmed, lengths count Unicode characters, unknown fields are ignored. An empty array, which PHP sends for an empty object, counts as `{}`." />
        <P text="Texts on one line (titles, names, references, phone numbers) refuse control characters and the marks that override the direction of text. Descriptions, notes and reasons keep their line breaks." />
        <P text="An optional field that is `null` or blank counts as absent. Where `null` means something else, as in clearing a subscriber's phone number, the field says so." />
        <P text="Payment links, packages, subscriptions, customers and webhook endpoints carry a `version`, which counts edits of their fields. To avoid overwriting another edit, send the version that you read. Put it into the body as `version`, or into the header in double quotes: `If-Match: &quot;7&quot;`. If the record was edited in between, nothing is written. The answer is 409 `stale_version` with `current` (the record as it is now), `changed_by` and `changed_at`. Without a version nothing is compared." />
        <P text="Ids are 24 hexadecimal characters. Moments in answers are ISO 8601 in UTC with six digits after the second." />
      </Section>

      <Section
        id="answers"
        code={
          <>
            <Code
              caption="200"
              text={pretty({
                success: true,
                data: { _id: "6740f1c09a3be27d51c8e4f0" },
                errors: null,
                meta,
              })}
            />
            <Code
              caption="422"
              text={pretty({
                message: "The given data was invalid.",
                errors: {
                  email: ["The email field is required."],
                  amount: ["The amount must be at least 500."],
                },
              })}
            />
            <Code
              caption="409"
              text={pretty({
                message: "This payment link is already paid.",
                code: "conflict",
                errors: {},
              })}
            />
          </>
        }
      >
        <P text="A success is always 200 with `success`, `data`, `errors` and `meta`. A 422 has exactly `message` and `errors` by field. Every other failure has `message`, a `code` for programs, and empty `errors`." />
        <P text="Every answer carries `X-Request-Id`; quote it when you ask for help. Answers may gain fields over time, so ignore those you do not know." />
        <Statuses />
      </Section>

      <Section
        id="idempotency"
        code={<Code caption="Header" text={"Idempotency-Key: order-1042"} />}
      >
        <P text="Add an `Idempotency-Key` of your choice, 1 to 255 visible characters, to any POST, PUT or DELETE. When the connection breaks, send the same request with the same key again: it is done once, and you get the first answer with `Idempotent-Replayed: true`." />
        <P text="The same key with another body is a 422 on `idempotency_key`. While the first request still runs, the answer is 409 with `Retry-After`. Answers are kept for 72 hours; failures are not kept, so a failed call can be repeated with its key. The query is part of the request." />
        <P text="A secret is shown once. The same request again is 409 `secret_already_shown` where the first answer held an API key or a webhook secret; a payer's `token` and `activation_url` are sent again." />
      </Section>

      <Section
        id="lists"
        code={
          <CodeTabs
            id="list-example"
            caption="Active links, fifty at a time"
            texts={inAll({ query: { status: "Active", per_page: "50" } }, listPaymentLinks)}
          />
        }
      >
        <P text="Lists come newest first, 15 to a page; `per_page` takes 1 to 100 and `sort` another order. Follow `next_page_url` until it is null: records that exist throughout the walk appear exactly once, whatever is added or deleted meanwhile." />
        <P text="With `page=1` you get numbered pages with `total` and `last_page` instead. Page addresses keep your filters. A bad value of a known parameter is a 422, an unknown parameter is ignored." />
      </Section>

      <Section
        id="limits"
        code={
          <Code caption="Headers" text={"X-RateLimit-Limit: 1000\nX-RateLimit-Remaining: 998"} />
        }
      >
        <P text="Each key, and each person who is signed in, may make 1,000 requests a minute, and all keys of a business together 3,000, unless the operator has set other limits. Costly calls also take 1 to 5 of 300 points a minute of the business, for keys and staff alike. Such are receipts, images, bulk calls, changes of many links, spreadsheets, exports, logos and test-clock advances. Only a few of these calls and of searches run and wait at a time: a full queue is a 429 too. `X-RateLimit-Limit` and `X-RateLimit-Remaining` show the limit of your key. Above a limit of calls or points the answer is 429 with `Retry-After` in seconds, and these headers show the limit that was reached. Calls that fail authentication are counted by their address (IPv6 by its /64 network): 60 a minute unless the operator has set another limit. On a 401 the headers show that limit." />
      </Section>

      <Section id="test-mode">
        <P text="Keys that begin with `sk_test_` see test records only, keys that begin with `sk_live_` live ones only. Test addresses carry `test=true`. In test mode a simulated gateway asks the payer how the payment shall end: approved, declined, approved later, or with its answer lost. A method can also be saved so that its later charges are declined." />
        <P text="In live mode calls that lead to money answer 409 `gateway_not_connected` until a gateway is connected. Reading and packages work before that." />
      </Section>

      <Section
        id="return-address"
        code={<CodeTabs id="return-hash" caption="Check the hash" texts={hashSnippets} />}
      >
        <P text="After success, or while the payment is being processed, the payer's browser goes to your `redirect_url` with these parameters appended. A parameter that your address already has is left alone, so do not use these names yourself. Money that does not pay its link, such as a payment flagged `late`, leads to the thank-you page." />
        <dl className="statuses wide">
          {returnParameters.map(({ name, text }) => (
            <div key={name}>
              <dt>
                <code>{name}</code>
              </dt>
              <dd>
                <Prose text={text} />
              </dd>
            </div>
          ))}
        </dl>
        <P text="`hash` is the HMAC-SHA256, in hexadecimal, of the lines `name=value` in this order, joined by line feeds, under the signing secret of your business and mode from Settings. No value holds a line feed. A browser can be made to go anywhere: check the hash, and read the link by the API before you ship goods." />
      </Section>

      <Section id="following-events">
        <P text="Ask `GET /events?after=<_id>` with the last event that such an answer held. Events come in order and none is left out, even when a change was committed late. Begin behind an event that is ten minutes old, since one that was just made may come before a change that commits later; you get those since then again. An event's `type` says which object `data` is: the object as the API would have returned it then, without tokens." />
        <ul className="types">
          {eventTypes.map((type) => (
            <li key={type}>
              <code>{type}</code>
            </li>
          ))}
        </ul>
      </Section>

      <Section
        id="receiving-webhooks"
        code={<CodeTabs id="verify-webhook" caption="Take a webhook" texts={verifySnippets} />}
      >
        <P text="A webhook endpoint receives events by POST, each as `GET /events/{event_id}` shows it. `mode` says whether it is a test or a live record, for addresses that receive both. Answer 2xx within 15 seconds, and do what takes longer afterwards. Redirects are not followed; a 410 disables the endpoint." />
        <P text="Deliveries follow Standard Webhooks 1.0: `webhook-id` is the event's `_id`, `webhook-timestamp` the second of this attempt, `webhook-signature` one to three signatures over both and the body. Libraries that verify them exist for most languages; without one it takes ten lines. Check the signature over the bytes as they came." />
        <P text="While you write your program, `kutip listen --forward-to http://localhost:8080` sends it the events of test mode, signed in the same way, without a public address. `kutip trigger payment_link.paid` makes the real thing happen: it creates a payment link and pays it at the simulator. Both read an API key of test mode from stdin and work against any install (`--url`). A PHP or Laravel package, a published TypeScript client, an n8n node and a Postman collection are not there yet; tools can import the OpenAPI document." />
        <P text="A delivery that you do not accept is tried again with the same bytes under the same id. The tries follow after 5 seconds, 5 and 30 minutes, 2, 5, 10, 14, 20 and 24 hours. After that it has failed, and the dashboard can send it again. An event can come twice, when your answer got lost, and out of order: keep the ids you know, and ask the API for the state that counts." />
      </Section>
    </>
  );
}

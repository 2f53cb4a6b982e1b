import type { Language } from "./snippets";

/** Code that takes a webhook and checks its signature, in each language. `WEBHOOK_SECRET` comes from the environment. */
export const verifySnippets: Record<Exclude<Language, "curl">, string> = {
  node: `// npm install standardwebhooks
import { createServer } from "node:http";
import { Webhook } from "standardwebhooks";

const webhook = new Webhook(process.env.WEBHOOK_SECRET);

createServer(async (request, response) => {
  // The body as it came: parsed and written again it is another one.
  const parts = [];
  for await (const part of request) parts.push(part);
  const body = Buffer.concat(parts).toString("utf8");
  try {
    const event = webhook.verify(body, request.headers);
    // The same event may come twice: keep event._id and skip what you know.
    console.log(event._id, event.type);
    response.writeHead(204).end();
  } catch {
    response.writeHead(400).end();
  }
}).listen(8080);`,
  php: `<?php
// The body as it came: parsed and written again it is another one.
$body = file_get_contents('php://input');
$id = $_SERVER['HTTP_WEBHOOK_ID'] ?? '';
$timestamp = $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
$signatures = explode(' ', $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '');

$key = base64_decode(substr(getenv('WEBHOOK_SECRET'), strlen('whsec_')));
$expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));

// While a secret is rotated there are two signatures; one that fits will do.
$genuine = array_filter($signatures, fn ($one) => hash_equals($expected, $one));
if (!$genuine || abs(time() - (int) $timestamp) > 300) {
    http_response_code(400);
    exit;
}

// The same event may come twice: keep $event['_id'] and skip what you know.
$event = json_decode($body, true);
http_response_code(204);`,
  python: `import base64, hashlib, hmac, json, os, time

def read_webhook(headers: dict, body: bytes) -> dict:
    """The event in a webhook; ValueError when it is not genuine. The header names are in lower case, the body is as it came."""
    message_id = headers.get("webhook-id", "")
    timestamp = headers.get("webhook-timestamp", "0")
    key = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))
    signed = f"{message_id}.{timestamp}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    # While a secret is rotated there are two signatures; one that fits will do.
    given = headers.get("webhook-signature", "").split(" ")
    if not any(hmac.compare_digest(expected, one) for one in given) or abs(time.time() - int(timestamp)) > 300:
        raise ValueError("not a genuine webhook")
    # The same event may come twice: keep its _id and skip what you know.
    return json.loads(body)`,
};

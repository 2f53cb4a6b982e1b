import type { CodeLanguage } from "./snippets";

/** Code that takes a webhook and checks its signature, with the standard library alone. `WEBHOOK_SECRET` comes from the environment. */
export const verifySnippets: Record<Exclude<CodeLanguage, "curl">, string> = {
  node: `import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

const key = Buffer.from((process.env.WEBHOOK_SECRET ?? "").replace("whsec_", ""), "base64");
// Anyone can sign with an empty key.
if (key.length === 0) throw new Error("WEBHOOK_SECRET is not set");

/** Whether the payment service sent this body within the last five minutes. */
function isGenuine(headers, body) {
  const timestamp = headers["webhook-timestamp"];
  const mac = createHmac("sha256", key).update(\`\${headers["webhook-id"]}.\${timestamp}.\`).update(body);
  const expected = Buffer.from(\`v1,\${mac.digest("base64")}\`);
  // While a secret is rotated there are up to three signatures; one that fits will do.
  const signed = String(headers["webhook-signature"])
    .split(" ")
    .map((one) => Buffer.from(one))
    .some((one) => one.length === expected.length && timingSafeEqual(one, expected));
  return signed && Math.abs(Date.now() / 1000 - timestamp) <= 300;
}

/** The body as it came: parsed and written again it is another one. */
async function bodyOf(request) {
  const parts = [];
  let size = 0;
  for await (const part of request) {
    size += part.length;
    if (size > 1 << 20) throw new Error("the body is larger than 1 MiB");
    parts.push(part);
  }
  return Buffer.concat(parts);
}

async function take(request, response) {
  const body = await bodyOf(request);
  if (!isGenuine(request.headers, body)) {
    response.writeHead(400).end();
    return;
  }
  // The same event may come twice: keep event._id and skip what you know.
  const event = JSON.parse(body);
  console.log(event._id, event.type);
  response.writeHead(204).end();
}

createServer((request, response) => {
  // A sender that breaks off must not end the program.
  take(request, response).catch((error) => {
    console.error(error.message);
    response.destroy();
  });
}).listen(8080);`,
  php: `<?php
// The body as it came: parsed and written again it is another one.
$body = file_get_contents('php://input');
$id = $_SERVER['HTTP_WEBHOOK_ID'] ?? '';
$timestamp = $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
$signatures = explode(' ', $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '');

$key = base64_decode(substr((string) getenv('WEBHOOK_SECRET'), strlen('whsec_')));
if ($key === '') {
    // Anyone can sign with an empty key. The status is set here, because an error that PHP shows is a 200.
    http_response_code(500);
    throw new RuntimeException('WEBHOOK_SECRET is not set');
}
$expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));

// While a secret is rotated there are up to three signatures; one that fits will do.
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
    key = base64.b64decode(os.environ.get("WEBHOOK_SECRET", "").removeprefix("whsec_"))
    if not key:  # Anyone can sign with an empty key.
        raise RuntimeError("WEBHOOK_SECRET is not set")
    signed = f"{message_id}.{timestamp}.".encode() + body
    expected = b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    # While a secret is rotated there are up to three signatures; one that fits will do.
    given = headers.get("webhook-signature", "").encode().split(b" ")
    if not any(hmac.compare_digest(expected, one) for one in given) or abs(time.time() - int(timestamp)) > 300:
        raise ValueError("not a genuine webhook")
    # The same event may come twice: keep its _id and skip what you know.
    return json.loads(body)`,
  go: `package main

import (
\t"crypto/hmac"
\t"crypto/sha256"
\t"encoding/base64"
\t"encoding/json"
\t"io"
\t"log"
\t"net/http"
\t"os"
\t"strconv"
\t"strings"
\t"time"
)

// isGenuine reports whether the payment service sent this body within the last five minutes.
func isGenuine(header http.Header, body []byte) bool {
\tkey, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(os.Getenv("WEBHOOK_SECRET"), "whsec_"))
\t// Anyone can sign with an empty key.
\tif err != nil || len(key) == 0 {
\t\treturn false
\t}
\ttimestamp := header.Get("webhook-timestamp")
\tseconds, err := strconv.ParseInt(timestamp, 10, 64)
\tif err != nil || time.Since(time.Unix(seconds, 0)).Abs() > 5*time.Minute {
\t\treturn false
\t}
\tmac := hmac.New(sha256.New, key)
\tmac.Write([]byte(header.Get("webhook-id") + "." + timestamp + "."))
\tmac.Write(body)
\texpected := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
\t// While a secret is rotated there are up to three signatures; one that fits will do.
\tfor _, one := range strings.Split(header.Get("webhook-signature"), " ") {
\t\tif hmac.Equal([]byte(one), expected) {
\t\t\treturn true
\t\t}
\t}
\treturn false
}

func main() {
\thttp.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
\t\t// The body as it came: parsed and written again it is another one.
\t\tbody, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
\t\tif err != nil || !isGenuine(r.Header, body) {
\t\t\tw.WriteHeader(http.StatusBadRequest)
\t\t\treturn
\t\t}
\t\tvar event struct {
\t\t\tID   string \`json:"_id"\`
\t\t\tType string \`json:"type"\`
\t\t}
\t\tif err := json.Unmarshal(body, &event); err != nil {
\t\t\tw.WriteHeader(http.StatusBadRequest)
\t\t\treturn
\t\t}
\t\t// The same event may come twice: keep event.ID and skip what you know.
\t\tlog.Println(event.ID, event.Type)
\t\tw.WriteHeader(http.StatusNoContent)
\t})
\tlog.Fatal(http.ListenAndServe("127.0.0.1:8080", nil))
}`,
};

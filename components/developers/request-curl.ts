import type { LoggedRequestDetail } from "@/lib/contract/request-log";
import { keyVariable, shellQuoted } from "@/lib/contract/snippets";

type Logged = Pick<
  LoggedRequestDetail,
  "method" | "path" | "query" | "request_headers" | "request_body" | "response_body"
>;

const sent = ["accept", "content-type"];
const hidden = "…";

/** A logged call as a shell command with the key in `$API_KEY`. Where the log hides secrets or cuts a long body, a comment says so. */
export function requestAsCurl(
  { method, path, query, request_headers: headers, request_body: body }: Logged,
  baseUrl: string,
): string {
  const url = `${baseUrl}/api${path}${query ? `?${query}` : ""}`;
  const lines = [
    `curl ${method === "GET" ? "" : `-X ${method} `}${shellQuoted(url)}`,
    `-H "Authorization: Bearer ${keyVariable}"`,
  ];
  for (const name of sent)
    if (headers[name]) lines.push(`-H ${shellQuoted(`${name}: ${headers[name]}`)}`);
  if (body) lines.push(`--data-raw ${shellQuoted(body)}`);
  const command = lines.join(" \\\n  ");
  return [url, body].some((text) => text?.includes(hidden))
    ? `# ${hidden} marks what the log hides or cuts off: put your own value there.\n${command}`
    : command;
}

/** A body as people read it: JSON with its lines, all else as it came. */
export function readableBody(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

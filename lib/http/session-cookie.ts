import { env } from "@/lib/env";
import { digest } from "@/lib/kernel/secrets";

/** The digest of the session a request carries in its cookie; undefined without one. The token alone is proof; its signature is not checked. */
export function sessionDigest(request: Request): string | undefined {
  const header = request.headers.get("cookie");
  if (!header) return undefined;
  const name = `${env.BASE_URL.startsWith("https:") ? "__Secure-" : ""}kutip.session_token=`;
  const pair = header.split(/; */).find((one) => one.startsWith(name));
  const token = pair?.slice(name.length).split(/[.%]/, 1)[0];
  return token ? digest(token) : undefined;
}

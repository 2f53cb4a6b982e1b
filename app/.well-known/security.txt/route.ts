import { env } from "@/lib/env";
import { publicRoute } from "@/lib/http/public-route";
import { plainHeaders } from "@/lib/http/respond";
import { securityTxt } from "@/lib/http/security-txt";
import { notFound } from "@/lib/kernel/problem";

/** Who to tell about a weakness of this install (RFC 9116); 404 when the operator named no contact. */
export const GET = publicRoute(() => {
  if (env.SECURITY_CONTACT.length === 0) throw notFound();
  return new Response(securityTxt(env.SECURITY_CONTACT, env.BASE_URL, new Date()), {
    headers: { ...plainHeaders, "content-type": "text/plain; charset=utf-8" },
  });
});

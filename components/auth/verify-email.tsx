"use client";

import { useQuery } from "@tanstack/react-query";
import { LinkButton } from "@/components/ui/button";
import { Loading, Skeleton } from "@/components/ui/skeleton";
import { type ApiProblem, problemText } from "@/lib/client/problem";
import { verifyEmail } from "@/lib/client/sign-in";
import { useHashToken } from "@/lib/client/use-hash-token";
import { Frame } from "./frame";

export function VerifyEmail() {
  const token = useHashToken();
  const done = useQuery<true, ApiProblem>({
    queryKey: ["verify-email", token],
    queryFn: () => verifyEmail(token ?? "").then(() => true as const),
    enabled: Boolean(token),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  const onward = (
    <LinkButton href="/" variant="primary">
      Go on
    </LinkButton>
  );
  if (token === null || done.error) {
    const why =
      done.error && (done.error.status === 0 || done.error.status >= 500)
        ? problemText(done.error)
        : "It may be cut off, used or too old. Ask for a new one in your settings.";
    return (
      <Frame title="This link does not work" description={why}>
        {onward}
      </Frame>
    );
  }
  if (!done.data)
    return (
      <Frame title="One moment">
        <Loading>
          <Skeleton className="h-9" />
        </Loading>
      </Frame>
    );
  return (
    <Frame title="Your address is verified" description="Thank you.">
      {onward}
    </Frame>
  );
}

"use client";

import { useRouter } from "next/navigation";
import { useState } from "react";
import { Button } from "@/components/ui/button";
import { LinkButton } from "@/components/ui/link-button";
import { Loading, Skeleton } from "@/components/ui/skeleton";
import { problemText } from "@/lib/client/problem";
import { verifyEmail } from "@/lib/client/sign-in";
import { useHashToken } from "@/lib/client/use-hash-token";
import { useMe } from "@/lib/client/use-me";
import { Frame } from "./frame";
import { isGone } from "./gone";
import { useEntered } from "./use-entered";

const onward = (
  <LinkButton href="/" variant="primary">
    Continue
  </LinkButton>
);

/** Confirms an address with the link that was mailed to it. Asks first, since programs that check mails open links too. */
export function VerifyEmail() {
  const token = useHashToken();
  const me = useMe();
  const router = useRouter();
  const entered = useEntered();
  const [busy, setBusy] = useState(false);
  const [gone, setGone] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  if (token === null || token === gone) {
    return (
      <Frame
        title="This link does not work"
        description="The link may be incomplete, already used or expired. Ask for a new one."
      >
        {onward}
      </Frame>
    );
  }
  if (!token || me.isPending)
    return (
      <Frame title="One moment">
        <Loading>
          <Skeleton className="h-9" />
        </Loading>
      </Frame>
    );
  const confirm = async () => {
    setBusy(true);
    setProblem(null);
    try {
      const password = await verifyEmail(token);
      if (password) router.replace(`/reset-password#${password}`);
      else entered("/");
    } catch (error) {
      if (isGone(error)) setGone(token);
      else setProblem(problemText(error));
      setBusy(false);
    }
  };
  return (
    <Frame
      title="Confirm your address"
      description={
        me.data
          ? `You are signed in as ${me.data.user.email}. If this link is for another address, its password ends and you choose a new one next.`
          : "You are not signed in in this browser, so you choose a new password next. To keep your password, open this link where you are signed in."
      }
    >
      <div className="grid gap-2">
        <Button variant="primary" busy={busy} onClick={confirm}>
          Confirm my address
        </Button>
        {problem ? (
          <p role="alert" className="font-medium text-bad">
            {problem}
          </p>
        ) : null}
      </div>
    </Frame>
  );
}

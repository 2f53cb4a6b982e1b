"use client";

import { useState } from "react";
import { Badge } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import { Card } from "@/components/ui/card";
import { Confirm } from "@/components/ui/dialog";
import { ErrorState } from "@/components/ui/error-state";
import { Loading, Skeleton } from "@/components/ui/skeleton";
import { Time } from "@/components/ui/time";
import { useAction, useEndpoint } from "@/lib/client/hooks";
import { notify } from "@/lib/client/notices";
import { signOut } from "@/lib/client/sign-in";
import type { SignInSession } from "@/lib/contract/me";
import { endMyOtherSessions, endMySession, listMySessions } from "@/lib/contract/operations";
import { browserName } from "./browser-name";

/** Where the person is signed in, and how to end it. */
export function SessionsCard() {
  const answer = useEndpoint(listMySessions, {});
  const end = useAction(endMySession, {
    optimistic: ({ change }, { params }) =>
      change(listMySessions, (sessions) => sessions.filter(({ _id }) => _id !== params.session_id)),
    onSuccess: ({ user_agent }) =>
      notify({ title: `${browserName(user_agent)} is signed out`, tone: "good" }),
  });
  return (
    <Card
      title="Where you are signed in"
      actions={<Everywhere others={(answer.data ?? []).some(({ current }) => !current)} />}
    >
      {answer.data ? (
        <ul aria-label="Sessions" className="divide-y divide-line">
          {answer.data.map((session) => (
            <Session
              key={session._id}
              session={session}
              onEnd={() => end.run({ params: { session_id: session._id } })}
            />
          ))}
        </ul>
      ) : answer.error ? (
        <ErrorState error={answer.error} retry={() => void answer.refetch()} />
      ) : (
        <Loading label="Loading sessions">
          <Skeleton className="mb-3 w-2/3" />
          <Skeleton className="w-1/2" />
        </Loading>
      )}
    </Card>
  );
}

function Session({ session, onEnd }: { session: SignInSession; onEnd: () => void }) {
  const name = browserName(session.user_agent);
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 py-3 first:pt-0 last:pb-0">
      <div className="min-w-0">
        <p className="flex flex-wrap items-center gap-2 font-medium">
          {name}
          {session.current ? <Badge tone="accent">This one</Badge> : null}
        </p>
        <p className="text-fine text-muted">
          {session.ip_address ? `${session.ip_address} · ` : ""}since{" "}
          <Time value={session.created_at} /> · seen{" "}
          <Time value={session.last_seen_at} show="relative" />
        </p>
      </div>
      {session.current ? null : (
        <Button size="small" onClick={onEnd} aria-label={`Sign out ${name}`}>
          Sign out
        </Button>
      )}
    </li>
  );
}

function Everywhere({ others }: { others: boolean }) {
  const [asking, setAsking] = useState<"else" | "all" | null>(null);
  const end = useAction(endMyOtherSessions, {
    onSuccess: () => {
      if (asking === "all") return void signOut();
      setAsking(null);
      notify({ title: "You are signed out everywhere else", tone: "good" });
    },
  });
  return (
    <>
      {others ? (
        <Button size="small" onClick={() => setAsking("else")}>
          Sign out everywhere else
        </Button>
      ) : null}
      <Button size="small" onClick={() => setAsking("all")}>
        Sign out everywhere
      </Button>
      <Confirm
        title={asking === "all" ? "Sign out everywhere?" : "Sign out everywhere else?"}
        confirm="Sign out"
        cancel="Stay signed in"
        busy={end.busy}
        open={asking !== null}
        onOpenChange={(open) => !open && setAsking(null)}
        onConfirm={() => end.run({})}
      >
        <p>
          {asking === "all"
            ? "Every browser, this one too, has to sign in again."
            : "Every browser but this one has to sign in again."}{" "}
          API keys keep working.
        </p>
      </Confirm>
    </>
  );
}

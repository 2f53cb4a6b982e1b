"use client";

import { useRouter } from "next/navigation";
import { useEffect } from "react";
import { Button } from "@/components/ui/button";
import { ErrorState } from "@/components/ui/error-state";
import { Loading } from "@/components/ui/skeleton";
import { lastPlace } from "@/lib/client/last-place";
import { consolePath } from "@/lib/client/scope";
import { signOut } from "@/lib/client/sign-in";
import { useMe } from "@/lib/client/use-me";
import { ConfirmAddress } from "./confirm-address";
import { Mark } from "./mark";
import { Plain } from "./plain";

/** The way in: to the business looked at last, or to signing in. */
export function Start() {
  const router = useRouter();
  const me = useMe();
  const first = me.data?.businesses[0];
  const signedOut = me.error?.status === 401;
  useEffect(() => {
    if (signedOut) return router.replace("/sign-in");
    if (!first || !me.data) return;
    const last = lastPlace();
    const still =
      last && me.data.businesses.some(({ business_id }) => String(business_id) === last.business);
    router.replace(
      consolePath(still ? last : { business: String(first.business_id), mode: "test" }),
    );
  }, [signedOut, first, me.data, router]);

  if (me.error && !signedOut) {
    return (
      <main className="mx-auto max-w-md px-4 py-16">
        <ErrorState error={me.error} retry={() => void me.refetch()} />
      </main>
    );
  }
  if (me.data && !first && !me.data.user.email_verified) return <ConfirmAddress me={me.data} />;
  if (me.data && !first) {
    return (
      <Plain
        title="You’re not in any business yet"
        action={<Button onClick={() => void signOut()}>Sign out</Button>}
      >
        Ask an owner to invite {me.data.user.email}.
      </Plain>
    );
  }
  return (
    <main className="grid min-h-svh place-items-center">
      <h1 className="sr-only">Kutip</h1>
      <Loading>
        <Mark className="pulse size-12" />
      </Loading>
    </main>
  );
}

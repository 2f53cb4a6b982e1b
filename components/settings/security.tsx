"use client";

import { Card } from "@/components/ui/card";
import { PageHeader } from "@/components/ui/page-header";
import { useMe } from "@/lib/client/use-me";
import { PasskeysCard } from "./passkeys-card";
import { PasswordCard } from "./password-card";
import { ProfileCard } from "./profile-card";
import { SessionsCard } from "./sessions-card";
import { TwoFactorCard } from "./two-factor-card";

/** What belongs to the person signed in, whichever business is looked at. */
export function Security() {
  const { data: me } = useMe();
  if (!me) return null;
  return (
    <>
      <PageHeader
        title="Security"
        description="Your own name and how you sign in. It is the same for every business you belong to."
      />
      <div className="grid max-w-3xl gap-5">
        <ProfileCard me={me} />
        <PasswordCard email={me.user.email} />
        {me.user.email_verified ? (
          <>
            <TwoFactorCard enabled={me.user.two_factor_enabled} />
            <PasskeysCard />
          </>
        ) : (
          <Card title="Second factor and passkeys">
            <p className="text-muted">
              {me.sends_mail
                ? "Confirm your e-mail address to set them up."
                : "You can set them up once the operator has confirmed your e-mail address."}
            </p>
          </Card>
        )}
        <SessionsCard />
      </div>
    </>
  );
}

"use client";

import { useState } from "react";
import { Badge } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import { Card } from "@/components/ui/card";
import { Dialog } from "@/components/ui/dialog";
import { removeTwoFactor, renewRecoveryCodes } from "@/lib/client/account";
import { notify } from "@/lib/client/notices";
import { AskPassword } from "./ask-password";
import { RecoveryCodes } from "./recovery-codes";
import { TwoFactorSetup } from "./two-factor-setup";
import { useAccountRefresh } from "./use-account";

type Asking = "setup" | "codes" | "removal" | null;

/** The second factor by authenticator app: on, off, and its recovery codes. */
export function TwoFactorCard({ enabled }: { enabled: boolean }) {
  const [asking, setAsking] = useState<Asking>(null);
  const [codes, setCodes] = useState<string[] | null>(null);
  const refresh = useAccountRefresh();
  const close = (open: boolean) => !open && setAsking(null);
  const show = (made: string[]) => {
    setAsking(null);
    setCodes(made);
    refresh();
  };
  return (
    <Card
      title="Second factor"
      description="A stolen password is then not enough to sign in. Passkeys need no second factor."
      actions={enabled ? <Badge tone="good">On</Badge> : <Badge>Off</Badge>}
    >
      <div className="flex flex-wrap gap-2">
        {enabled ? (
          <>
            <Button onClick={() => setAsking("codes")}>New recovery codes…</Button>
            <Button variant="danger" onClick={() => setAsking("removal")}>
              Turn off…
            </Button>
          </>
        ) : (
          <Button onClick={() => setAsking("setup")}>Set up an authenticator app…</Button>
        )}
      </div>
      <TwoFactorSetup open={asking === "setup"} onOpenChange={close} onDone={show} />
      <Dialog
        title="New recovery codes"
        description="Your old codes then stop working."
        open={asking === "codes"}
        onOpenChange={close}
      >
        <AskPassword submit={renewRecoveryCodes} onDone={show}>
          Create new codes
        </AskPassword>
      </Dialog>
      <Dialog
        title="Turn the second factor off"
        description="From then on your password alone signs you in."
        open={asking === "removal"}
        onOpenChange={close}
      >
        <AskPassword
          danger
          submit={removeTwoFactor}
          onDone={() => {
            setAsking(null);
            refresh();
            notify({ title: "The second factor is off" });
          }}
        >
          Turn off
        </AskPassword>
      </Dialog>
      <RecoveryCodes codes={codes} onClose={() => setCodes(null)} />
    </Card>
  );
}

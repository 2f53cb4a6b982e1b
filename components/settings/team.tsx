"use client";

import { UserPlus } from "lucide-react";
import { useState } from "react";
import { OnlyFor } from "@/components/console/only-for";
import { NoMailServer } from "@/components/mails/no-mail-server";
import { Button } from "@/components/ui/button";
import { PageHeader } from "@/components/ui/page-header";
import { later } from "@/lib/client/later";
import { useMembership } from "@/lib/client/use-me";
import { createInvitation } from "@/lib/contract/operations";
import { Invitations } from "./invitations";
import { Members } from "./members";

const Invite = later(() => import("./invite").then((module) => module.Invite));

/** Who may act for this business, and who is invited to. */
export function Team() {
  const { may } = useMembership();
  const [inviting, setInviting] = useState(false);
  return (
    <>
      <PageHeader
        title="Team"
        description="Who may act for this business, in test and live mode alike."
        actions={
          may(createInvitation) ? (
            <Button variant="primary" onClick={() => setInviting(true)}>
              <UserPlus aria-hidden="true" className="size-4" />
              Invite
            </Button>
          ) : null
        }
      />
      <NoMailServer />
      <OnlyFor endpoint={createInvitation}>
        <div className="grid gap-8">
          <Members />
          <Invitations />
        </div>
        <Invite open={inviting} onOpenChange={setInviting} />
      </OnlyFor>
    </>
  );
}

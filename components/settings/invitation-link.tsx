"use client";

import { CopyButton } from "@/components/ui/copy-button";
import { Dialog } from "@/components/ui/dialog";

/** The link of an invitation, to hand over; closed while it is null. */
export function InvitationLink({ link, onClose }: { link: string | null; onClose: () => void }) {
  return (
    <Dialog
      title="Invitation link"
      description="Give it only to the person you invited: anyone with it joins the team."
      open={link !== null}
      onOpenChange={(open) => !open && onClose()}
    >
      <p className="mb-4 font-mono text-fine break-all">{link}</p>
      <CopyButton text={link ?? ""} label="Copy link" variant="primary" />
    </Dialog>
  );
}

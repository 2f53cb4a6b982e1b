"use client";

import { Dialog } from "@/components/ui/dialog";
import { ErrorState } from "@/components/ui/error-state";
import { Loading, Skeleton } from "@/components/ui/skeleton";
import { useEndpoint } from "@/lib/client/hooks";
import { getMail } from "@/lib/contract/operations";
import { MailFrame } from "./mail-frame";

/** A mail as the payer sees it; open while `id` is given. */
export function MailPreview({
  id,
  onClose,
  footer,
}: {
  id: string | null;
  onClose: () => void;
  footer?: React.ReactNode;
}) {
  const mail = useEndpoint(getMail, { params: { mail_id: id ?? "" } }, { enabled: id !== null });
  return (
    <Dialog
      wide
      title={mail.data?.subject ?? "Mail"}
      description={mail.data ? `To ${mail.data.recipient}` : undefined}
      open={id !== null}
      onOpenChange={(open) => !open && onClose()}
      footer={footer}
    >
      {mail.data ? (
        <MailFrame html={mail.data.html} className="h-[60svh]" />
      ) : mail.error ? (
        <ErrorState error={mail.error} retry={() => void mail.refetch()} />
      ) : (
        <Loading label="Loading the mail">
          <Skeleton className="h-[60svh] w-full" />
        </Loading>
      )}
    </Dialog>
  );
}

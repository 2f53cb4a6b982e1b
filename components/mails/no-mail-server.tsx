"use client";

import { MailX } from "lucide-react";
import { useMe, useMembership } from "@/lib/client/use-me";

/** Says that this install sends no mail, and to those who may have it changed what is missing; nothing where it does. */
export function NoMailServer() {
  const { data } = useMe();
  const { role } = useMembership();
  if (data?.sends_mail !== false) return null;
  return (
    <section
      aria-label="No mail server"
      className="mb-5 flex items-start gap-3 rounded-card bg-warn-soft px-5 py-4 text-warn"
    >
      <MailX aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
      <p className="min-w-0">
        <strong className="font-semibold">No e-mail is sent.</strong> This install has no mail
        server. Mails are kept unsent under Mails.{" "}
        {role === "owner" || role === "admin" ? (
          <>
            Share payment links and invitation links yourself, or ask the operator to set{" "}
            <code className="font-mono text-fine">SMTP_URL</code>.
          </>
        ) : (
          "Share payment links yourself."
        )}
      </p>
    </section>
  );
}

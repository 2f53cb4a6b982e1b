"use client";

import Link from "next/link";
import { useScope } from "@/lib/client/use-scope";
import { erasedEmail } from "@/lib/contract/values";

/** A payer's address, which leads to the customer. An erased payer has none; null where it is not known. */
export function CustomerLink({ email }: { email: string | null }) {
  const { path } = useScope();
  if (email === null) return <span className="text-muted">–</span>;
  if (email === erasedEmail) return <span className="text-muted">{email}</span>;
  return (
    <Link
      prefetch={false}
      href={path(`/customers/find?email=${encodeURIComponent(email)}`)}
      className="inline-flex min-h-6 max-w-full items-center underline decoration-line underline-offset-3 hover:decoration-current"
    >
      <span className="min-w-0 wrap-break-word">{email}</span>
    </Link>
  );
}

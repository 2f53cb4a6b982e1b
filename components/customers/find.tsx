"use client";

import { UserSearch } from "lucide-react";
import { useRouter } from "next/navigation";
import { useEffect } from "react";
import { DetailSkeleton } from "@/components/record/detail-skeleton";
import { EmptyState } from "@/components/ui/empty-state";
import { ErrorState } from "@/components/ui/error-state";
import { LinkButton } from "@/components/ui/link-button";
import { PageHeader } from "@/components/ui/page-header";
import { useEndpoint } from "@/lib/client/hooks";
import { useMembership } from "@/lib/client/use-me";
import { useScope } from "@/lib/client/use-scope";
import { createCustomer, listCustomers } from "@/lib/contract/operations";

/** Leads on to the customer of an address. */
export function FindCustomer({ email }: { email: string }) {
  const { path } = useScope();
  const { may } = useMembership();
  const router = useRouter();
  const answer = useEndpoint(
    listCustomers,
    { query: { email, per_page: 1 } },
    { enabled: email !== "" },
  );
  const id = answer.data?.data[0]?._id;
  const to = id && path(`/customers/${id}`);
  useEffect(() => {
    if (to) router.replace(to);
  }, [to, router]);
  return (
    <>
      <PageHeader
        title={email || "Customer"}
        back={{ href: path("/customers"), label: "Customers" }}
      />
      {answer.error && !answer.data ? (
        <ErrorState error={answer.error} retry={() => void answer.refetch()} />
      ) : (answer.isPending && email !== "") || to ? (
        <DetailSkeleton />
      ) : (
        <EmptyState
          icon={<UserSearch />}
          title="No customer has this address"
          action={
            may(createCustomer) ? (
              <LinkButton
                href={path(`/customers/new?email=${encodeURIComponent(email)}`)}
                variant="primary"
              >
                Add customer
              </LinkButton>
            ) : undefined
          }
        >
          The first payment link, token or subscription for this address creates its customer.
        </EmptyState>
      )}
    </>
  );
}

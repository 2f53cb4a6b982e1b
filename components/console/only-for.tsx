"use client";

import type { ReactNode } from "react";
import { Card } from "@/components/ui/card";
import { useMembership } from "@/lib/client/use-me";
import type { Endpoint } from "@/lib/contract/endpoint";

/** Shows its children to roles that may call the endpoint; tells others whom to ask. */
export function OnlyFor({
  endpoint,
  children,
}: {
  endpoint: Pick<Endpoint, "roles">;
  children: ReactNode;
}) {
  const { may, role } = useMembership();
  if (may(endpoint)) return children;
  return (
    <Card>
      <p className="font-medium">This is for owners and admins</p>
      <p className="mt-0.5 text-muted">
        Your role here is “{role}”. Ask an owner of this business for another one, or for what you
        need from this page.
      </p>
    </Card>
  );
}

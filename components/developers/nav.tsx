"use client";

import { SubNav } from "@/components/console/sub-nav";
import { useMembership } from "@/lib/client/use-me";
import { listApiKeys } from "@/lib/contract/operations";

/** The pages of Developers; keys are for those who may manage them. */
export function DevelopersNav() {
  const { may } = useMembership();
  const pages = [
    ...(may(listApiKeys) ? [{ path: "/developers", label: "API keys" }] : []),
    { path: "/developers/events", label: "Events" },
    { path: "/developers/webhooks", label: "Webhooks" },
    { path: "/developers/requests", label: "Request log" },
    { path: "/developers/work", label: "Background work" },
    { path: "/developers/snippets", label: "Snippets" },
  ];
  return <SubNav label="Developers" pages={pages} />;
}

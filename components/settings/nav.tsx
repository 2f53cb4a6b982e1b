"use client";

import { SubNav } from "@/components/console/sub-nav";
import { useMembership } from "@/lib/client/use-me";
import {
  createInvitation,
  erasePayer,
  getSigningSecret,
  listAuditLog,
  listGatewayConnections,
  listIntegrations,
} from "@/lib/contract/operations";

/** The pages of Settings that this person's role opens. */
export function SettingsNav() {
  const { may } = useMembership();
  const pages = [
    { path: "/settings", label: "Business" },
    { path: "/settings/go-live", label: "Go live" },
    ...(may(createInvitation) ? [{ path: "/settings/team", label: "Team" }] : []),
    ...(may(listGatewayConnections)
      ? [{ path: "/settings/gateway", label: "Payment provider" }]
      : []),
    ...(may(listIntegrations) ? [{ path: "/settings/shop-plugins", label: "Shop plugins" }] : []),
    ...(may(getSigningSecret)
      ? [{ path: "/settings/signing-secret", label: "Signing secret" }]
      : []),
    ...(may(erasePayer) ? [{ path: "/settings/payers", label: "Payers" }] : []),
    { path: "/settings/notifications", label: "Notifications" },
    { path: "/settings/security", label: "Security" },
    ...(may(listAuditLog) ? [{ path: "/settings/audit-log", label: "Audit log" }] : []),
  ];
  return <SubNav label="Settings" pages={pages} />;
}

import type { Metadata } from "next";
import { AcceptInvitation } from "@/components/auth/accept-invitation";

export const metadata: Metadata = { title: "Invitation" };

export default function Page() {
  return <AcceptInvitation />;
}

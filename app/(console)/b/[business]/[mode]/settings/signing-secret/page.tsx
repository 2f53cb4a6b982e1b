import type { Metadata } from "next";
import { SigningSecretSettings } from "@/components/settings/signing-secret";

export const metadata: Metadata = { title: "Signing secret" };

export default function Page() {
  return <SigningSecretSettings />;
}

import type { Metadata } from "next";
import { VerifyEmail } from "@/components/auth/verify-email";

export const metadata: Metadata = { title: "Your e-mail address" };

export default function Page() {
  return <VerifyEmail />;
}

import type { Metadata } from "next";
import { ForgotPassword } from "@/components/auth/forgot-password";

export const metadata: Metadata = { title: "Forgotten password" };

export default function Page() {
  return <ForgotPassword />;
}

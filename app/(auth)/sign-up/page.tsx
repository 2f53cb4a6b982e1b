import type { Metadata } from "next";
import { SignUp } from "@/components/auth/new-business";

export const metadata: Metadata = { title: "Sign up" };

export default function Page() {
  return <SignUp />;
}

import type { ReactNode } from "react";
import { DevelopersNav } from "@/components/developers/nav";

export default function Layout({ children }: { children: ReactNode }) {
  return (
    <>
      <DevelopersNav />
      {children}
    </>
  );
}

import type { ReactNode } from "react";
import { SettingsNav } from "@/components/settings/nav";

export default function Layout({ children }: { children: ReactNode }) {
  return (
    <>
      <SettingsNav />
      {children}
    </>
  );
}

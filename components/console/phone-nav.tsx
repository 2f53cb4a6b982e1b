"use client";

import { usePathname } from "next/navigation";
import { useEffect, useRef, useState } from "react";
import { Sheet } from "@/components/ui/sheet";
import { BusinessMenu } from "./business-menu";
import { HelpLink } from "./help-link";
import { PhoneNavButton } from "./phone-nav-button";
import { SectionNav } from "./section-nav";
import { UserMenu } from "./user-menu";

/** The way around on a phone, open at first. */
export function PhoneNav() {
  const pathname = usePathname();
  const [open, setOpen] = useState(true);
  const opened = useRef(pathname);
  useEffect(() => {
    if (opened.current !== pathname) setOpen(false);
    opened.current = pathname;
  }, [pathname]);
  return (
    <Sheet title="Navigation" open={open} onOpenChange={setOpen} trigger={<PhoneNavButton />}>
      <div className="flex min-h-full flex-col p-3 pt-12">
        <BusinessMenu />
        <SectionNav className="mt-3" />
        <div className="mt-auto flex items-center gap-1 pt-4">
          <div className="min-w-0 flex-1">
            <UserMenu />
          </div>
          <HelpLink />
        </div>
      </div>
    </Sheet>
  );
}

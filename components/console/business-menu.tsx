"use client";

import dynamic from "next/dynamic";
import { usePathname, useRouter } from "next/navigation";
import { cx } from "@/components/ui/cx";
import { Switch } from "@/components/ui/fields";
import { leave } from "@/lib/client/leaving";
import { elsewhere } from "@/lib/client/scope";
import { useScope } from "@/lib/client/use-scope";
import { BusinessButton } from "./business-button";

// Menus come after the page, which shows their buttons meanwhile.
const BusinessChoice = dynamic(() => import("./business-choice").then((module) => module.BusinessChoice), { ssr: false, loading: () => <BusinessButton /> });

/** Which business and which mode: both stand in the address, so choosing is going there. */
export function BusinessMenu() {
  const { business, mode } = useScope();
  const router = useRouter();
  const pathname = usePathname();
  const change = (test: boolean) => leave(() => router.push(elsewhere(pathname, { business, mode: test ? "test" : "live" })));
  return (
    <div>
      <BusinessChoice />
      <Switch
        label="Test mode"
        checked={mode === "test"}
        onChange={(event) => change(event.target.checked)}
        className={cx("mt-1.5 w-full flex-row-reverse justify-between rounded-control px-3 py-1.5", mode === "test" ? "text-warn" : "text-muted")}
      />
    </div>
  );
}

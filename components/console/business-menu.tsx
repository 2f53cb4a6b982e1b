"use client";

import { ChevronsUpDown } from "lucide-react";
import { usePathname, useRouter } from "next/navigation";
import { cx } from "@/components/ui/cx";
import { Switch } from "@/components/ui/fields";
import { Menu, MenuChoice } from "@/components/ui/menu";
import { Skeleton } from "@/components/ui/skeleton";
import { leave } from "@/lib/client/leaving";
import { elsewhere } from "@/lib/client/scope";
import { useMe, useMembership } from "@/lib/client/use-me";
import { useScope } from "@/lib/client/use-scope";
import { initials } from "./initials";

/** Which business and which mode: both stand in the address, so choosing is going there. */
export function BusinessMenu() {
  const { business, mode } = useScope();
  const { data: me } = useMe();
  const { business: own } = useMembership();
  const router = useRouter();
  const pathname = usePathname();
  const go = (to: { business: string; mode: "test" | "live" }) => leave(() => router.push(elsewhere(pathname, to)));
  const trigger = (
    <button type="button" aria-label={`Business: ${own?.name ?? "loading"}`} className="flex min-h-11 w-full items-center gap-2.5 rounded-control px-2 text-start hover:bg-accent-soft">
      <span aria-hidden="true" className="grid size-8 shrink-0 place-items-center rounded-full bg-fill text-fine font-semibold text-on-fill">{own ? initials(own.name) : ""}</span>
      <span className="min-w-0 flex-1">
        {own ? <span className="block truncate font-semibold">{own.name}</span> : <Skeleton className="w-24" />}
        <span className="block text-fine leading-tight text-muted capitalize">{own?.role ?? " "}</span>
      </span>
      <ChevronsUpDown aria-hidden="true" className="size-4 shrink-0 text-muted" />
    </button>
  );
  return (
    <div>
      <Menu trigger={trigger} align="start" className="w-56">
        <MenuChoice
          label="Business"
          value={business}
          onChange={(next) => go({ business: next, mode })}
          options={(me?.businesses ?? []).map(({ business_id, name }) => ({ value: String(business_id), label: name }))}
        />
      </Menu>
      <Switch
        label="Test mode"
        checked={mode === "test"}
        onChange={(event) => go({ business, mode: event.target.checked ? "test" : "live" })}
        className={cx("mt-1.5 w-full flex-row-reverse justify-between rounded-control px-3 py-1.5", mode === "test" ? "text-warn" : "text-muted")}
      />
    </div>
  );
}

"use client";

import { usePathname, useRouter } from "next/navigation";
import { Menu, MenuChoice } from "@/components/ui/menu";
import type { Pressed } from "@/components/ui/use-press";
import { leave } from "@/lib/client/leaving";
import { switchScope } from "@/lib/client/scope";
import { useMe } from "@/lib/client/use-me";
import { useScope } from "@/lib/client/use-scope";
import { BusinessButton } from "./business-button";

/** The businesses of the person signed in. */
export function BusinessChoice({ pressed }: { pressed: Pressed }) {
  const { business, mode } = useScope();
  const { data: me } = useMe();
  const router = useRouter();
  const pathname = usePathname();
  return (
    <Menu pressed={pressed} trigger={<BusinessButton />} align="start" className="w-56">
      <MenuChoice
        label="Business"
        value={business}
        onChange={(next) =>
          leave(() => router.push(switchScope(pathname, { business: next, mode })))
        }
        options={(me?.businesses ?? []).map(({ business_id, name }) => ({
          value: String(business_id),
          label: name,
        }))}
      />
    </Menu>
  );
}

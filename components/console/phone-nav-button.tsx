import { Menu } from "lucide-react";
import type { ComponentProps } from "react";
import { IconButton } from "@/components/ui/button";

/** What opens the navigation on a phone. */
export function PhoneNavButton(props: Partial<ComponentProps<typeof IconButton>>) {
  return (
    <IconButton {...props} label="Open navigation" hint={false}>
      <Menu aria-hidden="true" />
    </IconButton>
  );
}

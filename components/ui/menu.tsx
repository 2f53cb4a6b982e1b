"use client";

import { Ellipsis } from "lucide-react";
import {
  cloneElement,
  createContext,
  type ComponentProps,
  type ReactElement,
  type ReactNode,
  use,
  useId,
} from "react";
import { latePart } from "@/lib/client/later";
import { IconButton } from "./button";
import { KeepFocus } from "./keep-focus";
import type * as MenuParts from "./menu-parts";
import { type Pressed, usePress } from "./use-press";

// Menus load after the page: they are a quarter of its script.
const menuParts = latePart(() => import("./menu-parts"));
const Parts = createContext<typeof MenuParts | undefined>(undefined);

type MenuProps = Omit<ComponentProps<typeof MenuParts.MenuPopup>, "pressed"> & {
  /** It was pressed before it came. */
  pressed?: Pressed;
};

/** A list of things to do or places to go, opened by `trigger`; a press before it is there is kept. */
export function Menu({ pressed: before, ...props }: MenuProps) {
  const { loaded: parts, ...own } = usePress(menuParts, before !== undefined);
  const pressed = before ?? own.pressed;
  const id = useId();
  const trigger = props.trigger as ReactElement<ComponentProps<"button">>;
  if (!parts || !pressed)
    return (
      <KeepFocus key="before" id={id}>
        {cloneElement(trigger, {
          "aria-haspopup": "menu",
          "aria-expanded": false,
          onClick: own.press,
          onKeyDown: own.byArrows,
        })}
      </KeepFocus>
    );
  return (
    <KeepFocus key="after" id={id}>
      <Parts value={parts}>
        <parts.MenuPopup {...props} pressed={pressed} />
      </Parts>
    </KeepFocus>
  );
}

/** The menu of a row: `label` names the row, "Actions for Invoice 1042". */
export function RowMenu({ label, children }: { label: string; children: ReactNode }) {
  return (
    <Menu
      trigger={
        <IconButton label={label} hint={false}>
          <Ellipsis aria-hidden="true" />
        </IconButton>
      }
    >
      {children}
    </Menu>
  );
}

export function MenuItem(props: ComponentProps<typeof MenuParts.MenuItem>) {
  const parts = use(Parts);
  return parts ? <parts.MenuItem {...props} /> : null;
}

export function MenuLink(props: ComponentProps<typeof MenuParts.MenuLink>) {
  const parts = use(Parts);
  return parts ? <parts.MenuLink {...props} /> : null;
}

/** One of several inside a menu, the chosen one ticked. */
export function MenuChoice(props: ComponentProps<typeof MenuParts.MenuChoice>) {
  const parts = use(Parts);
  return parts ? <parts.MenuChoice {...props} /> : null;
}

/** Several that can be ticked inside a menu, which stays open. */
export function MenuChecks(props: ComponentProps<typeof MenuParts.MenuChecks>) {
  const parts = use(Parts);
  return parts ? <parts.MenuChecks {...props} /> : null;
}

/** What belongs together in a menu, under its name. */
export function MenuGroup(props: ComponentProps<typeof MenuParts.MenuGroup>) {
  const parts = use(Parts);
  return parts ? <parts.MenuGroup {...props} /> : null;
}

export function MenuLine() {
  const parts = use(Parts);
  return parts ? <parts.MenuLine /> : null;
}

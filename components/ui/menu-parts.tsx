"use client";

import { Menu as Base } from "@base-ui/react/menu";
import { Check } from "lucide-react";
import Link from "next/link";
import type { ReactElement, ReactNode } from "react";
import { cx } from "./cx";
import { type Pressed, usePressAgain } from "./use-press";

const item =
  "flex min-h-8 w-full items-center gap-2.5 rounded-tag px-2.5 py-1 text-start outline-none select-none data-highlighted:bg-accent-soft data-disabled:opacity-50 [&_svg]:size-4 [&_svg]:text-muted";

type MenuProps = {
  trigger: ReactElement;
  children: ReactNode;
  pressed: Pressed;
  align?: "start" | "end";
  side?: "top" | "bottom" | "right";
  className?: string;
};

/** A list of things to do or places to go, opened by `trigger`. */
export function MenuPopup({
  trigger,
  children,
  pressed,
  align = "end",
  side = "bottom",
  className,
}: MenuProps) {
  usePressAgain(pressed);
  return (
    <Base.Root modal={false} defaultOpen={pressed === "pointer"}>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner align={align} side={side} sideOffset={6} className="z-50">
          <Base.Popup
            className={cx(
              "appear max-h-(--available-height) min-w-44 overflow-y-auto rounded-card bg-surface p-1.5 shadow-float focus:outline-none",
              className,
            )}
          >
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

type ItemProps = {
  onSelect: () => void;
  children: ReactNode;
  tone?: "danger";
  disabled?: boolean;
  icon?: ReactNode;
};

export function MenuItem({ onSelect, children, tone, disabled, icon }: ItemProps) {
  return (
    <Base.Item
      onClick={onSelect}
      disabled={disabled}
      className={cx(item, tone === "danger" && "text-bad [&_svg]:text-bad")}
    >
      {icon}
      {children}
    </Base.Item>
  );
}

export function MenuLink({
  href,
  children,
  icon,
  external = false,
}: {
  href: string;
  children: ReactNode;
  icon?: ReactNode;
  external?: boolean;
}) {
  const place = external
    ? { href, target: "_blank", rel: "noreferrer" }
    : { render: <Link href={href} prefetch={false} /> };
  return (
    <Base.LinkItem closeOnClick className={item} {...place}>
      {icon}
      {children}
    </Base.LinkItem>
  );
}

type ChoiceProps = {
  label: string;
  value: string;
  onChange: (value: string) => void;
  options: readonly { value: string; label: ReactNode }[];
};

/** One of several inside a menu, the chosen one ticked. */
export function MenuChoice({ label, value, onChange, options }: ChoiceProps) {
  return (
    <Base.RadioGroup value={value} onValueChange={onChange}>
      <Base.GroupLabel className="px-2.5 py-1 text-fine text-muted">{label}</Base.GroupLabel>
      {options.map((option) => (
        <Base.RadioItem key={option.value} value={option.value} closeOnClick className={item}>
          <span className="min-w-0 flex-1">{option.label}</span>
          <Base.RadioItemIndicator>
            <Check aria-hidden="true" />
          </Base.RadioItemIndicator>
        </Base.RadioItem>
      ))}
    </Base.RadioGroup>
  );
}

type ChecksProps = {
  label: string;
  options: readonly { value: string; label: ReactNode; disabled?: boolean }[];
  values: readonly string[];
  onChange: (values: string[]) => void;
};

/** Several that can be ticked inside a menu, which stays open. */
export function MenuChecks({ label, options, values, onChange }: ChecksProps) {
  return (
    <Base.Group>
      <Base.GroupLabel className="px-2.5 py-1 text-fine text-muted">{label}</Base.GroupLabel>
      {options.map((option) => (
        <Base.CheckboxItem
          key={option.value}
          checked={values.includes(option.value)}
          disabled={option.disabled}
          onCheckedChange={(on) =>
            onChange(
              options
                .map(({ value }) => value)
                .filter((value) => (value === option.value ? on : values.includes(value))),
            )
          }
          className={item}
        >
          <span className="min-w-0 flex-1">{option.label}</span>
          <Base.CheckboxItemIndicator>
            <Check aria-hidden="true" />
          </Base.CheckboxItemIndicator>
        </Base.CheckboxItem>
      ))}
    </Base.Group>
  );
}

/** What belongs together in a menu, under its name. */
export function MenuGroup({ label, children }: { label: string; children: ReactNode }) {
  return (
    <Base.Group>
      <Base.GroupLabel className="px-2.5 py-1 text-fine text-muted">{label}</Base.GroupLabel>
      {children}
    </Base.Group>
  );
}

export function MenuLine() {
  return <Base.Separator className="mx-1 my-1.5 h-px bg-line" />;
}

"use client";

import type { ComponentProps, MouseEvent, ReactNode, Ref } from "react";
import { cx } from "./cx";

export type Look = {
  variant?: "primary" | "quiet" | "ghost" | "danger" | "destroy";
  size?: "regular" | "small";
};

const base =
  "inline-flex shrink-0 items-center justify-center gap-2 rounded-control border font-medium whitespace-nowrap transition-[background-color,border-color,box-shadow] select-none active:translate-y-px aria-disabled:opacity-60 disabled:opacity-60";
const variants = {
  primary:
    "border-fill-edge bg-fill text-on-fill hover:shadow-[0_0_0_3px_var(--color-accent-soft)]",
  quiet: "border-edge bg-surface text-ink hover:bg-sunken hover:border-ink",
  ghost: "border-transparent bg-transparent text-ink hover:bg-accent-soft",
  danger: "border-bad bg-surface text-bad hover:bg-bad-soft",
  destroy: "border-bad bg-bad text-surface hover:shadow-[0_0_0_3px_var(--color-bad-soft)]",
};
const sizes = {
  regular: "min-h-9.5 px-3.5 py-1.5 text-small",
  small: "min-h-8 px-2.5 py-1 text-fine",
};

/** The classes of a button. */
export const buttonClass = ({ variant = "quiet", size = "regular" }: Look, className?: string) =>
  cx(base, variants[variant], sizes[size], className);

export type ButtonProps = ComponentProps<"button"> &
  Look & {
    busy?: boolean;
    /** The second click of a double click does nothing, even where the first was answered by then. */
    once?: boolean;
  };

/** A button that keeps focus and says so while `busy` or `aria-disabled`; pressing it then does nothing. */
export function Button({
  variant,
  size,
  busy = false,
  once = false,
  className,
  children,
  onClick,
  type = "button",
  ...rest
}: ButtonProps) {
  const off = busy || rest["aria-disabled"] === true;
  const press = (event: MouseEvent<HTMLButtonElement>) =>
    off || (once && event.detail > 1) ? event.preventDefault() : onClick?.(event);
  return (
    <button
      {...rest}
      type={type}
      onClick={press}
      aria-busy={busy || undefined}
      aria-disabled={off || undefined}
      className={buttonClass({ variant, size }, className)}
    >
      {busy ? <Spinner /> : null}
      {children}
    </button>
  );
}

/** A plain link that looks like a button: files, other sites, other programs. */
export function AnchorButton({ variant, size, className, ...rest }: ComponentProps<"a"> & Look) {
  return <a {...rest} className={buttonClass({ variant, size }, className)} />;
}

type IconButtonProps = Omit<ComponentProps<"button">, "children" | "aria-label"> & {
  label: string;
  children: ReactNode;
  ref?: Ref<HTMLButtonElement>;
  keys?: string;
  hint?: boolean;
};

/** A button with only an icon: its name is read out, and shown on hover. */
export function IconButton({
  label,
  keys,
  hint = true,
  className,
  children,
  type = "button",
  ...rest
}: IconButtonProps) {
  return (
    <button
      {...rest}
      type={type}
      aria-label={label}
      title={hint ? (keys ? `${label} (${keys})` : label) : undefined}
      className={cx(
        "inline-grid size-8 shrink-0 place-items-center rounded-control text-muted transition-colors hover:bg-accent-soft hover:text-ink disabled:opacity-50 [&_svg]:size-4",
        className,
      )}
    >
      {children}
    </button>
  );
}

function Spinner() {
  return (
    <span
      aria-hidden="true"
      className="spin size-3.5 rounded-full border-2 border-current border-r-transparent"
    />
  );
}

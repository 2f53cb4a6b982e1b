import type { ComponentProps } from "react";
import type * as Parts from "@/components/ui/dialog-parts";

/** For `vi.mock("@/components/ui/dialog", …)`: a dialog in its place on the page, since only a browser puts it above. */
export const Dialog = ({
  title,
  description,
  children,
}: ComponentProps<typeof Parts.DialogPopup>) => (
  <section aria-label={title}>
    <p>{description}</p>
    {children}
  </section>
);

export const Confirm = ({
  title,
  confirm,
  disabled,
  children,
}: ComponentProps<typeof Parts.ConfirmPopup>) => (
  <section aria-label={title}>
    {children}
    <button type="submit" disabled={disabled}>
      {confirm}
    </button>
  </section>
);

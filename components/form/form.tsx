"use client";

import { createContext, Fragment, type ReactNode, use } from "react";
import { Button, type ButtonProps } from "@/components/ui/button";
import { cx } from "@/components/ui/cx";
import { LeaveQuestion } from "./leave-question";
import { useInBrowser } from "@/lib/client/use-in-browser";
import { Problem } from "./problem";
import { StaleNotice } from "./stale-notice";
import type { ContractForm } from "./use-contract-form";

const CurrentForm = createContext<ContractForm<never> | null>(null);

type FormProps = {
  form: ContractForm<never>;
  children: ReactNode;
  label?: string;
  className?: string;
  id?: string;
};

/** The form element around fields: asks before unsaved changes are lost. Its `SubmitButton` says what went wrong as a whole. */
export function Form({ form, children, label, className, id }: FormProps) {
  return (
    <CurrentForm value={form}>
      {/* "post" keeps the fields out of the address if the browser sends the form without our scripts. */}
      <form
        method="post"
        id={id}
        ref={form.formRef}
        noValidate
        aria-label={label}
        onSubmit={form.onSubmit}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.repeat) return;
          // A question of this form is inside it in React alone.
          if (!event.currentTarget.contains(event.target as Node)) return;
          event.preventDefault();
          event.currentTarget.requestSubmit();
        }}
        className={cx("grid gap-4", className)}
      >
        {form.stale ? (
          <StaleNotice stale={form.stale} labels={form.labels} busy={form.busy} />
        ) : null}
        <Fragment key={form.round}>{children}</Fragment>
      </form>
      <LeaveQuestion unsaved={form.unsaved}>
        What you changed on this page has not been saved.
      </LeaveQuestion>
    </CurrentForm>
  );
}

/** Submits its form once the scripts are loaded, shows the progress, and beside itself what went wrong. */
export function SubmitButton({ children, variant = "primary", disabled, ...rest }: ButtonProps) {
  const form = use(CurrentForm);
  const ready = useInBrowser();
  return (
    <>
      {form?.problem ? <Problem text={form.problem} /> : null}
      <Button
        {...rest}
        type="submit"
        variant={variant}
        busy={form?.busy}
        disabled={disabled || !ready}
      >
        {children}
      </Button>
    </>
  );
}

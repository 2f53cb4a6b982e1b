import type { ComponentProps, ReactNode } from "react";
import { LinkButton } from "./link-button";
import { KeepFocus } from "./keep-focus";

type CreateLinkProps = Omit<ComponentProps<typeof LinkButton>, "variant"> & { icon?: ReactNode };

/** What begins something new of a list: in the page's head, or where there is nothing yet; focus goes with it from one to the other. */
export function CreateLink({ icon, children, ...rest }: CreateLinkProps) {
  return (
    <KeepFocus id="create">
      <LinkButton {...rest} variant="primary">
        {icon}
        <span className={icon ? "max-sm:in-[header[data-list]]:sr-only" : undefined}>
          {children}
        </span>
      </LinkButton>
    </KeepFocus>
  );
}

import type { Ref } from "react";

/** A row of its own above the buttons; the form gives it the focus, so that it is in sight wherever the form was sent from. */
export function Problem({ text, ref }: { text: string; ref?: Ref<HTMLParagraphElement> }) {
  return (
    <p
      ref={ref}
      role="alert"
      tabIndex={-1}
      className="order-first basis-full scroll-m-6 [form>&]:order-none rounded-control bg-bad-soft px-3.5 py-2.5 text-start font-medium text-bad"
    >
      {text}
    </p>
  );
}

import type { ReactNode } from "react";
import { Prose } from "./text";

export const guideSections = [
  { id: "start", title: "Start" },
  { id: "authentication", title: "Authentication" },
  { id: "amounts", title: "Amounts and currencies" },
  { id: "requests", title: "Requests" },
  { id: "answers", title: "Answers and errors" },
  { id: "idempotency", title: "Idempotency" },
  { id: "lists", title: "Lists" },
  { id: "limits", title: "Rate limits" },
  { id: "test-mode", title: "Test mode" },
  { id: "return-address", title: "Return address" },
  { id: "following-events", title: "Following events" },
  { id: "receiving-webhooks", title: "Receiving webhooks" },
] as const;

export function Section({
  id,
  children,
  code,
}: {
  id: (typeof guideSections)[number]["id"];
  children: ReactNode;
  code?: ReactNode;
}) {
  const title = guideSections.find((section) => section.id === id)?.title;
  return (
    <section id={id} className="guide" aria-labelledby={`${id}-title`}>
      <div className="about">
        <h2 id={`${id}-title`}>{title}</h2>
        {children}
      </div>
      {code ? <div className="codes">{code}</div> : null}
    </section>
  );
}

export const P = ({ text }: { text: string }) => (
  <p>
    <Prose text={text} />
  </p>
);

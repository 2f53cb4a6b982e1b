import { Fragment, type ReactNode } from "react";

type OperatorProps = { contacts: readonly string[] };

/** The operator in a sentence, with the contacts that the install names. */
export function Operator({ contacts }: OperatorProps) {
  return (
    <>
      the operator of this Kutip
      {contacts.map((contact, index) => (
        <Fragment key={contact}>
          {index > 0 ? ", " : " ("}
          <a href={contact} className="text-accent underline underline-offset-3">
            {contact.replace(/^mailto:/, "")}
          </a>
          {index === contacts.length - 1 ? ")" : null}
        </Fragment>
      ))}
    </>
  );
}

/** Who opens an account, and by which command, where no mail goes out; `children` say what the command does for its person. */
export function AskOperator({
  contacts,
  email = "ADDRESS",
  children,
}: OperatorProps & { email?: string; children: ReactNode }) {
  return (
    <>
      This install has no mail server. Ask <Operator contacts={contacts} /> to run{" "}
      <code className="font-mono text-fine [overflow-wrap:anywhere]">kutip user:reset {email}</code>
      . {children}
    </>
  );
}

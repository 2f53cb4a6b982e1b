/** Says in an open dialog why it can do nothing any more: what was typed stays there to be read. */
export const Overtaken = ({ text }: { text: string }) => (
  <p role="alert" className="rounded-card bg-warn-soft px-4 py-3 text-warn">
    {text}
  </p>
);

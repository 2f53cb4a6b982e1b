import Link from "next/link";

/** Leads from a card with the newest records to the list that has all of them. */
export const ShowAll = ({ href, total }: { href: string; total?: number }) => (
  <p className="mt-4">
    <Link
      prefetch={false}
      href={href}
      className="inline-block min-h-6 text-accent underline underline-offset-3"
    >
      Show all{total === undefined ? "" : ` ${total.toLocaleString("en-GB")}`}
    </Link>
  </p>
);

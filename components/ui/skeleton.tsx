import { cx } from "./cx";

/** Holds the place of what is loading. Give it the size of what will come. */
export function Skeleton({ className }: { className?: string }) {
  return (
    <span aria-hidden="true" className={cx("pulse block h-4 rounded-tag bg-line", className)} />
  );
}

/** Says to a screen reader that something loads, while skeletons show it to the eye. */
export function Loading({
  label = "Loading",
  children,
}: {
  label?: string;
  children: React.ReactNode;
}) {
  return (
    <div role="status" aria-busy="true">
      <span className="sr-only">{label}</span>
      {children}
    </div>
  );
}

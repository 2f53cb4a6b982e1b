/** Keys as on a keyboard; `keys` are split at blanks: "g p", "Ctrl K". */
export function Kbd({ keys }: { keys: string }) {
  return (
    <kbd className="inline-flex shrink-0 gap-1 font-sans whitespace-nowrap">
      {keys.split(" ").map((key) => (
        <span
          key={key}
          className="inline-grid min-w-5 place-items-center rounded-tag border border-current px-1 text-[0.6875rem] leading-4.5 opacity-75"
        >
          {key}
        </span>
      ))}
    </kbd>
  );
}

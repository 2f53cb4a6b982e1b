/** Kutip's mark: a ticket with a K and its tear-off line. */
export function Mark({ className }: { className?: string }) {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true" className={className}>
      <path
        className="fill-fill"
        d="M8 2h16a6 6 0 0 1 6 6v9.500a2.500 2.500 0 0 0 0 5V24a6 6 0 0 1-6 6H8a6 6 0 0 1-6-6v-1.500a2.500 2.500 0 0 0 0-5V8a6 6 0 0 1 6-6z"
      />
      <path
        className="fill-none stroke-on-fill"
        strokeWidth="3"
        strokeLinecap="round"
        strokeLinejoin="round"
        d="M12 7.500v9M20.500 7.500 13 12.500l7 4"
      />
      <path
        className="fill-none stroke-on-fill"
        strokeWidth="2"
        strokeLinecap="round"
        strokeDasharray=".1 4"
        opacity=".75"
        d="M8 20h17"
      />
    </svg>
  );
}

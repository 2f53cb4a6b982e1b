import { useId } from "react";
import { readableMonth } from "@/lib/kernel/readable-time";
import { Select } from "@/components/ui/fields";
import { monthAfter } from "./months";

const SHOWN_MONTHS = 36;

type MonthSelectProps = { value: string; last: string; onChange: (month: string) => void };

/** Chooses among the last three years; the month that is shown is always among them. */
export function MonthSelect({ value, last, onChange }: MonthSelectProps) {
  const id = useId();
  const recent = Array.from({ length: SHOWN_MONTHS }, (_, index) => monthAfter(last, -index));
  const months = recent.includes(value) ? recent : [value, ...recent].sort().reverse();
  return (
    <div>
      <label htmlFor={id} className="sr-only">
        Month
      </label>
      <Select
        id={id}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        className="w-auto"
      >
        {months.map((month) => (
          <option key={month} value={month}>
            {readableMonth(month)}
          </option>
        ))}
      </Select>
    </div>
  );
}

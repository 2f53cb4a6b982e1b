import { endpoints } from "@/lib/contract/programs";
import { commonFailures, failuresOf } from "@/lib/contract/failures";
import { currencyCodes, currencyDigits } from "@/lib/kernel/currencies";
import { displayAmount } from "@/lib/kernel/money";
import { Prose } from "./text";

/** Every status a call can fail with, and its codes; the same texts as in the OpenAPI document. */
function statuses(): Array<{ status: number; codes: Array<{ code: string; when: string }> }> {
  const seen = new Map<number, Map<string, string>>();
  for (const { status, code, when } of [...endpoints.flatMap(failuresOf), ...commonFailures]) {
    const codes = seen.get(status) ?? new Map<string, string>();
    const general =
      code === "conflict" ? "The record's state does not allow it; the message says why." : when;
    if (!codes.has(code)) codes.set(code, general);
    seen.set(status, codes);
  }
  return [...seen]
    .sort(([a], [b]) => a - b)
    .map(([status, codes]) => ({
      status,
      codes: [...codes].map(([code, when]) => ({ code, when })),
    }));
}

export function Statuses() {
  const list = statuses();
  return (
    <dl className="statuses">
      {list.map(({ status, codes }) => (
        <div key={status} id={`status-${status}`}>
          <dt>{status}</dt>
          {codes.map(({ code, when }) => (
            <dd key={code}>
              <code>{code}</code> <Prose text={when} />
            </dd>
          ))}
        </div>
      ))}
      <div id="status-422">
        <dt>422</dt>
        <dd>Fields are missing or wrong: all of them at once, each with all its texts.</dd>
      </div>
    </dl>
  );
}

export function CurrencyDigits() {
  const of = (digits: number) => currencyCodes.filter((code) => currencyDigits(code) === digits);
  const rows = [
    { digits: 0, codes: of(0), example: "JPY" },
    { digits: 2, codes: ["MYR", "USD", "EUR"], example: "MYR" },
    { digits: 3, codes: of(3), example: "KWD" },
  ];
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">Digits</th>
          <th scope="col">Currencies</th>
          <th scope="col">500 means</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ digits, codes, example }) => (
          <tr key={digits}>
            <td>{digits}</td>
            <td>{digits === 2 ? `${codes.join(", ")} and all others` : codes.join(", ")}</td>
            <td className="amount">{displayAmount(500, example)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

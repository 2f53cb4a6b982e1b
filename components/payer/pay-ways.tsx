import type { PayMethod } from "@/lib/contract/values";
import type { PayWay } from "@/lib/payer/view";

const labels: Record<PayMethod, { name: string; hint: string; optionLabel: string }> = {
  fpx: {
    name: "Online banking (FPX)",
    hint: "You sign in to your bank.",
    optionLabel: "Your bank",
  },
  duitnow_qr: {
    name: "DuitNow QR",
    hint: "Scan a code with your bank’s app.",
    optionLabel: "",
  },
  card: { name: "Card", hint: "Credit or debit card.", optionLabel: "" },
  ewallet: {
    name: "E-wallet",
    hint: "Approve it in the app.",
    optionLabel: "Your e-wallet",
  },
  fpx_b2b1: {
    name: "Company online banking (FPX)",
    hint: "Your company’s bank may ask a second person to approve.",
    optionLabel: "",
  },
  other: {
    name: "Another way",
    hint: "You choose on the payment provider’s page.",
    optionLabel: "",
  },
};

/** The ways to pay, one of which is always chosen. A bank or wallet can be chosen here or on the provider's page. */
export function PayWays({ ways }: { ways: readonly PayWay[] }) {
  return (
    <fieldset className="ways">
      <legend>How would you like to pay?</legend>
      {ways.map(({ method, options }, index) => (
        <div className="way" key={method}>
          <label className="choice">
            <input type="radio" name="method" value={method} defaultChecked={index === 0} />
            <span>
              <span className="name">{labels[method].name}</span>
              <span className="about">{labels[method].hint}</span>
            </span>
          </label>
          {options.length > 0 ? <Options method={method} options={options} /> : null}
        </div>
      ))}
    </fieldset>
  );
}

function Options({ method, options }: PayWay) {
  return (
    <label className="option">
      <span>{labels[method].optionLabel}</span>
      <select name={method} defaultValue="">
        <option value="">Choose later</option>
        {options.map(({ code, name, isAvailable }) => (
          <option key={code} value={code} disabled={!isAvailable}>
            {isAvailable ? name : `${name} (not available now)`}
          </option>
        ))}
      </select>
    </label>
  );
}

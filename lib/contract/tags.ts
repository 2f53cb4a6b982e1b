/** What each group of endpoints is about, in the order of the reference. */
export const tags: readonly { name: string; text: string }[] = [
  {
    name: "Payment links",
    text: "A fixed amount, a currency, a payer, and an address where the payer pays. A new link is `Active`; it becomes `Processing` while the gateway has not decided, then `Paid`. It can also be `Expired` or `Cancelled`.",
  },
  {
    name: "Customers",
    text: "Each payer once, by e-mail address without case. The first link, token or subscription of an address creates its customer, or you create one; name, phone number, language and notes are yours to keep. The lists of links, tokens, subscriptions and payments show one customer's records by the filter `email`.",
  },
  {
    name: "Batches",
    text: "A change of many payment links at once, done in the background: cancel, extend, remind. An import is a batch too. What changed can be undone; reminders start 30 seconds later and can be stopped until then.",
  },
  {
    name: "Tokenizations",
    text: "A payer saves a payment method once at `activation_url`; the token can then be charged. An unpaid period of the payer's subscription is charged with it at once. A token is a bearer secret: keep it like a password. Wherever a path takes the token it takes the record's `_id` too.",
  },
  {
    name: "Packages",
    text: "What subscribers pay for: an amount, a currency, how often, and the first day of the first period.",
  },
  {
    name: "Subscriptions",
    text: "A subscriber on a package. Each period is charged to the payer's saved method, or has a payment link, and a mail with it is written to the payer. A subscription is `created`, then `active`, `past_due` or `halted` as its periods are paid or not; `cancel` is for good.",
  },
  {
    name: "Payments",
    text: "Every attempt to take money, successful or not. Links, tokens and subscriptions make payments, or they are recorded by hand. Here they are read and refunded, in full or in part. A refund without an outcome counts as if it had succeeded, so refunds never exceed the payment.",
  },
  {
    name: "Balance",
    text: "A ledger by double entry: every payment, fee, refund and movement of a dispute is booked once, in the same commit as the change itself, and never changed again. What is booked counts as of the moment it was booked.",
  },
  {
    name: "Test clocks",
    text: "In test mode subscriptions and payment links can follow a clock of their own. Advance it by a day or by years: all that comes due on the way is done in order, each piece as of its moment.",
  },
  {
    name: "Events",
    text: "Every change of state writes one event, in the same transaction. Keep the `_id` of the last event that `after` returned and ask for what comes `after` it: nothing is skipped, also not what commits late. Begin behind an event that is ten minutes old; you get those since then again.",
  },
  {
    name: "Webhooks",
    text: "Your own addresses that receive events as they happen. Each endpoint has its secret, shown once when it is created. After a rotation the secret before signs for 24 hours, too. Receiving webhooks explains how to check a signature.",
  },
];

/** What a field is written with by a create and by an update. */
export const samples: Record<string, readonly [unknown, unknown]> = {
  email: ["first@example.com", "second@example.com"],
  currency: ["MYR", "SGD"],
  amount: [1_250, 4_900],
  title: ["First title", "Second title"],
  phone_no: ["012 345", "019 876"],
  description: ["First description", "Second description"],
  redirect_url: ["https://first.example/a", "https://second.example/b"],
  reference: ["First reference", "Second reference"],
  reference_2: ["Other first", "Other second"],
  send_email: [false, true],
  expires_at: ["2031-01-31T12:00:00.123456Z", "2032-02-29T13:00:00.654321Z"],
  due_at: ["2031-01-30T12:00:00.123456Z", "2032-02-28T13:00:00.654321Z"],
  reminders: [
    [{ days: 3, relative_to: "created_at" }],
    [
      { days: 7, relative_to: "created_at" },
      { days: 2, relative_to: "created_at" },
    ],
  ],
  name: ["First name", "Second name"],
  frequency: ["weekly", "quarterly"],
  date_charge_start: ["2031-01-31", "2032-02-29"],
  status: ["active", "cancel"],
  url: ["https://first.example/hook", "https://second.example/hook"],
  events: [["payment_link.paid"], ["payment.refunded", "payment.failed"]],
  enabled: [false, true],
  time_zone: ["Asia/Kuala_Lumpur", "Asia/Singapore"],
  default_currency: ["MYR", "SGD"],
  accent: ["#0f766e", "#7c3aed"],
  support_email: ["help@first.example", "help@second.example"],
  support_phone: ["03 1111", "03 2222"],
  retry_days: [
    [1, 2],
    [2, 4, 6],
  ],
  notes: ["First\nnotes", "Second\nnotes"],
  language: ["ms", "zh-Hant"],
  reason: ["First\nreason", "Second\nreason"],
  note: ["First\nnote", "Second\nnote"],
  method: ["cash", "bank_transfer"],
  received_at: ["2026-01-31T12:00:00.123456Z", "2026-02-28T13:00:00.654321Z"],
  now: ["2031-01-31T12:00:00.123456Z", "2032-02-29T13:00:00.654321Z"],
};

/** A link that others refer to. */
export const plainLink = {
  email: "a@example.com",
  currency: "MYR",
  amount: 5_000,
  title: "Link",
  send_email: false,
};

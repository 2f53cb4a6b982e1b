/** The header row of the export: new columns only at the end. Amounts without a sign, one side each: a spreadsheet would take a leading minus for a formula. */
export const ledgerColumns = [
  "_id",
  "created_at",
  "posting",
  "kind",
  "account",
  "currency",
  "debit",
  "credit",
  "debit_decimal",
  "credit_decimal",
  "payment_id",
  "refund_id",
] as const;

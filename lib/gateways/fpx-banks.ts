/** Banks of FPX for persons, by PayNet's codes, which gateways share. In the order of their names. */
export const fpxBanks: ReadonlyArray<{ code: string; name: string }> = [
  { code: "ABB0233", name: "Affin Bank" },
  { code: "AGRO01", name: "AGRONet" },
  { code: "ABMB0212", name: "Alliance Bank" },
  { code: "AMBB0209", name: "AmBank" },
  { code: "BIMB0340", name: "Bank Islam" },
  { code: "BMMB0341", name: "Bank Muamalat" },
  { code: "BOCM01", name: "Bank of China" },
  { code: "BKRM0602", name: "Bank Rakyat" },
  { code: "BSN0601", name: "BSN" },
  { code: "BCBB0235", name: "CIMB Bank" },
  { code: "HLB0224", name: "Hong Leong Bank" },
  { code: "HSBC0223", name: "HSBC Bank" },
  { code: "KFH0346", name: "KFH" },
  { code: "MBB0228", name: "Maybank2E" },
  { code: "MB2U0227", name: "Maybank2u" },
  { code: "MBSB001", name: "MBSB Bank" },
  { code: "OCBC0229", name: "OCBC Bank" },
  { code: "PBB0233", name: "Public Bank" },
  { code: "RHB0218", name: "RHB Bank" },
  { code: "SCB0216", name: "Standard Chartered" },
  { code: "UOB0226", name: "UOB Bank" },
];

export const isFpxBank = (code: string): boolean => fpxBanks.some((bank) => bank.code === code);

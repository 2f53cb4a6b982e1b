import { passwordLength } from "@/lib/contract/account";

export const passwordHint = `At least ${passwordLength.min} characters. A few words make a good one.`;

import { passwordLength } from "@/lib/contract/values";

export const passwordHint = `At least ${passwordLength.min} characters. A few words make a good one; common ones are refused.`;

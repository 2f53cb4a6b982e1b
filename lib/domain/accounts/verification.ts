import { unscopedFindUserByEmail } from "../users/rows";
import { auth } from "./auth";

/** Mails a person the address that confirms theirs, unless it is confirmed. */
export async function askForVerification(email: string): Promise<void> {
  const user = await unscopedFindUserByEmail(email);
  if (user && !user.emailVerified)
    await auth().api.sendVerificationEmail({ body: { email: user.email } });
}

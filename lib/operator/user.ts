import { parseArgs } from "node:util";
import { Refusal } from "@/db/embedded/refusal";
import { AccountEmail } from "@/lib/contract/fields";
import { inviteFounder } from "@/lib/domain/team/sign-up";
import { resetPassword } from "@/lib/domain/accounts/reset-password";
import { env } from "@/lib/env";
import { Problem } from "@/lib/kernel/problem";
import { note, print, UsageError } from "./usage";
import { withInstall } from "./with-install";

/** Gives a person a new password, which goes to stdout, and ends their sessions and any lock. */
export async function userReset(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      "second-factor": { type: "boolean" },
      // The name before 1.0.
      "second-factors": { type: "boolean" },
    },
  });
  const email = positionals[0];
  const secondFactors = values["second-factor"] ?? values["second-factors"] ?? false;
  if (!email || positionals.length !== 1) throw new UsageError("give the person's e-mail address");
  await withInstall(async () => {
    const { password } = await resetPassword(email, {
      secondFactors,
    }).catch((error: unknown) => {
      throw error instanceof Problem && error.status === 404
        ? new Refusal(`no account has the address ${email}`)
        : error;
    });
    note(
      `new password of ${email}; all their sessions have ended${secondFactors ? ", second factor and passkeys are gone" : ""}`,
    );
    print(password);
  });
}

/** Invites a person to create a business, where SIGN_UP is invite. The address goes to stdout and into a mail. */
export async function userInvite(args: string[]): Promise<void> {
  const { positionals } = parseArgs({ args, allowPositionals: true, options: {} });
  const email = AccountEmail.safeParse(positionals[0]?.trim());
  if (!email.success || positionals.length !== 1)
    throw new UsageError("give the person's e-mail address");
  await withInstall(async () => {
    if (env.SIGN_UP !== "invite")
      note("SIGN_UP is not set to invite: the invitation does not work until you set it");
    print(`${env.BASE_URL}/invitation#${await inviteFounder(email.data)}`);
  });
}

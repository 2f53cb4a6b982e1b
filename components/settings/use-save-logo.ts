import { useAction } from "@/lib/client/hooks";
import { deleteLogo, getMe, putLogo } from "@/lib/contract/operations";
import type { LogoChange } from "./logo-field";

/** Saves what the form does to the logo, before the rest: a file that the API refuses leaves everything as it was. */
export function useSaveLogo() {
  const setting = { invalidates: [getMe], onProblem: () => undefined };
  const put = useAction(putLogo, setting);
  const drop = useAction(deleteLogo, setting);
  return async (change: NonNullable<LogoChange>) => {
    if (change === "remove") await drop.runAsync({});
    else await put.runAsync({ body: { image: change.image } });
  };
}

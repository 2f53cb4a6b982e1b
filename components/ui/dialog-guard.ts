import { createContext } from "react";

/** By this a form tells the dialog around it whether something in it is not saved; null where there is no dialog. */
export const DialogGuard = createContext<((unsaved: boolean) => void) | null>(null);

// Both generators use TypeScript's former JavaScript API, which TypeScript 7 has not. To be loaded with --import.
import { registerHooks } from "node:module";

registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier === "typescript" ? "typescript-5" : specifier, context),
});

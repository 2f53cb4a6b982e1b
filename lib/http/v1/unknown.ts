import { notFound } from "@/lib/kernel/problem";
import { pluginDoor } from "./define-route";

/** An unknown address under `/api/v1`: a 404 with a map of errors, as plugins read it. */
export const unknownPluginAddress = pluginDoor(
  { id: "unknownPluginAddress", subject: "address" },
  async () => {
    throw notFound();
  },
);

import { randomUUID } from "node:crypto";
import { notFound } from "@/lib/kernel/problem";
import { frontDoor } from "./front-door";
import { fail } from "./respond";
import { isPluginCall, pluginNotServed } from "./shop-plugins";

/** An unknown address under /api: the same 404 as an unknown id, with a sentence for shop plugins. */
export const unknownAddress = frontDoor(async (request) =>
  fail(
    isPluginCall(request.method, new URL(request.url).pathname) ? pluginNotServed() : notFound(),
    { "x-request-id": randomUUID() },
  ),
);

import { Problem } from "@/lib/kernel/problem";
import type { Ctx } from "../context";
import { hasGateway } from "./rows";

/** Throws 409 in live mode while the business has no gateway: nothing that leads to money may begin. */
export async function assertConnected({ businessId, mode }: Ctx): Promise<void> {
  if (mode === "live" && !(await hasGateway(businessId, mode)))
    throw new Problem(
      409,
      "gateway_not_connected",
      "Connect a payment gateway for live mode first.",
    );
}

import { resolveGateway } from "@/lib/domain/gateway-connections/account";
import { connect } from "@/lib/flows/connecting/steps";
import { newToken } from "@/lib/kernel/ids";
import { newShop, type Shop } from "./setting";

/** A shop that takes its payments through a gateway with a small API. The test's file mocks the registry, so that the gateway is found. */
export async function newBasicShop(): Promise<Shop> {
  const { ctx } = await newShop();
  await connect(ctx, { gateway: "basic" as "stripe", secret_key: `test${newToken()}` });
  return { ctx, account: await resolveGateway(ctx) };
}

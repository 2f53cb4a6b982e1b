import { setTimeout as pause } from "node:timers/promises";
import type { StripePeer } from "@/tests/stripe-peer/peer";
import type { Disturbance } from "./disturbances";

const LOST = [
  "POST /v1/payment_intents",
  "POST /v1/payment_intents",
  "POST /v1/checkout/sessions",
  "POST /v1/refunds",
];

/** The ways in which a gateway is away for so many seconds. */
export function gatewayOutages(peer: StripePeer, seconds: number): Disturbance[] {
  return [
    {
      name: "gateway refuses connections",
      run: async () => {
        const { port } = new URL(peer.origin);
        await peer.stop();
        await pause(seconds * 1_000);
        await peer.start(Number(port));
      },
    },
    {
      name: "gateway fails with 502",
      run: async () => {
        peer.trouble = { status: 502, body: "<html>Bad Gateway</html>" };
        await pause(seconds * 1_000);
        peer.trouble = null;
      },
    },
    {
      name: "gateway is silent",
      run: async () => {
        peer.silentUntil = pause(seconds * 1_000);
        await peer.silentUntil;
        peer.silentUntil = null;
      },
    },
    {
      name: "gateway charges, and its answers are lost",
      run: async () => {
        for (const operation of LOST) peer.lose(operation);
      },
    },
  ];
}

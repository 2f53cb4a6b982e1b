import { receiveCallback } from "@/lib/http/callback";

export const POST = receiveCallback;

import { unknownPluginAddress } from "@/lib/http/v1/unknown";

export const GET = unknownPluginAddress;
export const POST = unknownPluginAddress;
export const PUT = unknownPluginAddress;
export const DELETE = unknownPluginAddress;
export const PATCH = unknownPluginAddress;

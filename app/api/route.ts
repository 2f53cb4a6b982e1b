import { unknownAddress } from "@/lib/http/unknown";

export const GET = unknownAddress;
export const POST = unknownAddress;
export const PUT = unknownAddress;
export const DELETE = unknownAddress;
export const PATCH = unknownAddress;

import { signInPlugin } from "@/lib/http/v1/sign-in";

export const POST = signInPlugin;

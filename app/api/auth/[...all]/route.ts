import { signInRoute } from "@/lib/http/sign-in";

export const GET = signInRoute;
export const POST = signInRoute;

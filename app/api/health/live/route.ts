import { frontDoor } from "@/lib/http/front-door";
import { live } from "@/lib/http/health";

export const GET = frontDoor(live);

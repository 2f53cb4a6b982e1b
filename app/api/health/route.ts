import { frontDoor } from "@/lib/http/front-door";
import { health } from "@/lib/http/health";

export const GET = frontDoor(health);

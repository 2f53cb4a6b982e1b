import { frontDoor } from "@/lib/http/front-door";
import { ready } from "@/lib/http/health";

export const GET = frontDoor(ready);

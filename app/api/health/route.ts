import { health } from "@/lib/http/health";

export const GET = health;

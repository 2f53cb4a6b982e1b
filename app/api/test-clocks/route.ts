import { createTestClock, listTestClocks } from "@/lib/contract/test-clocks";
import { create } from "@/lib/domain/test-clocks/create";
import { list } from "@/lib/domain/test-clocks/list";
import { defineRoute } from "@/lib/http/define-route";

export const GET = defineRoute(listTestClocks, ({ ctx, query, search }) =>
  list(ctx, query, search),
);
export const POST = defineRoute(createTestClock, ({ ctx, body }) => create(ctx, body));

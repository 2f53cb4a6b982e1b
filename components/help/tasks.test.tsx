import { existsSync } from "node:fs";
import { expect, test, vi } from "vitest";
import { drawn } from "@/tests/drawn";
import { TaskList } from "./task-list";
import { tasks } from "./tasks";

vi.mock("next/navigation", async () => (await import("@/tests/drawn-at")).navigation);

test("each task of the help leads to a screen that exists", () => {
  for (const { to } of tasks.flatMap((group) => group.tasks)) {
    const page = `app/(console)/b/[business]/[mode]${to.split("?")[0]}/page.tsx`;
    expect([to, existsSync(page)]).toEqual([to, true]);
  }
});

test("the help names no task that the role may not do", () => {
  const titles = (role: "owner" | "viewer") => [
    ...drawn(<TaskList />, [], { role }).matchAll(/<dt>.*?>([^<]+)<\/a>/g),
  ];
  expect(titles("owner")).toHaveLength(tasks.flatMap((group) => group.tasks).length);
  const viewer = titles("viewer").map(([, title]) => title);
  expect(viewer).toContain("See what came in");
  expect(viewer).not.toContain("Give money back");
});

import { dehydrate, hydrate, QueryClient } from "@tanstack/react-query";
import { afterEach, expect, test, vi } from "vitest";
import { stampedState } from "./stamped-state";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

function payload(at: number) {
  const server = new QueryClient();
  server.setQueryData(["links"], "old", { updatedAt: at });
  return dehydrate(server);
}

test("data of a page that is shown again takes no newer data's place, whatever the server's clock says", () => {
  vi.stubGlobal("window", {});
  vi.useFakeTimers({ now: 1_000 });
  const state = payload(300_000);
  const client = new QueryClient();
  hydrate(client, stampedState(state));
  expect(client.getQueryState(["links"])?.dataUpdatedAt).toBe(1_000);
  vi.setSystemTime(60_000);
  client.setQueryData(["links"], "new");
  hydrate(client, stampedState(state));
  expect(client.getQueryData(["links"])).toBe("new");
});

test("on the server it stays as it is", () => {
  const state = payload(300_000);
  expect(stampedState(state)).toBe(state);
});

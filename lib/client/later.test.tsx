import { renderToStaticMarkup } from "react-dom/server";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { latePart, later, useLater } from "./later";
import { drawNotices, type Notice } from "./notices";

const network = { onLine: true };
const reload = vi.fn();
let page: EventTarget;
let notices: Notice[];
let release: () => void;

/** What is pressed: something within an element that `selector` finds. */
class Place {
  constructor(private readonly selector = "none") {}
  closest(asked: string) {
    return asked.includes(this.selector) ? this : null;
  }
}

function press(type: "click" | "keydown", target = new Place()): void {
  const event = new Event(type);
  Object.defineProperty(event, "target", { value: target });
  page.dispatchEvent(event);
}

function connect(): void {
  network.onLine = true;
  page.dispatchEvent(new Event("online"));
}

beforeEach(() => {
  network.onLine = true;
  reload.mockReset();
  page = Object.assign(new EventTarget(), { location: { reload } });
  notices = [];
  release = drawNotices((notice) => notices.push(notice));
  vi.stubGlobal("navigator", network);
  vi.stubGlobal("window", page);
  vi.stubGlobal("Element", Place);
  vi.stubGlobal("HTMLInputElement", class {});
});
afterEach(() => {
  dismiss();
  release();
  vi.unstubAllGlobals();
});

function dismiss(): void {
  for (const { onClose } of notices.splice(0)) onClose?.();
}

/** A part of which the first `failures` requests fail. `requests` waits for the outcome of those so far, and counts them. */
function failing(failures: number) {
  const made: Promise<object>[] = [];
  const request = async () => {
    if (made.length < failures) throw new Error("Failed to load chunk");
    return { name: "part" };
  };
  const part = latePart(() => {
    const answer = request();
    made.push(answer);
    return answer;
  });
  const requests = async () => {
    await Promise.allSettled(made);
    return made.length;
  };
  return { part, requests };
}

test("a part is requested once for all that watch it, and each of them learns of it", async () => {
  const { part, requests } = failing(0);
  const changed = [vi.fn(), vi.fn()];
  for (const one of changed) part.watch(one, true);
  expect(part.now()).toBeUndefined();
  expect(await requests()).toBe(1);
  expect(part.now()).toEqual({ name: "part" });
  for (const one of changed) expect(one).toHaveBeenCalledOnce();
  press("click");
  connect();
  expect(await requests()).toBe(1);
  expect(notices).toEqual([]);
});

test("a part that failed without a network is requested again once it is back, and the failure is said once", async () => {
  const { part, requests } = failing(1);
  const changed = vi.fn();
  network.onLine = false;
  part.watch(changed, true);
  part.watch(() => undefined, true);
  expect(await requests()).toBe(1);
  expect(notices).toMatchObject([
    { tone: "bad", description: "It loads when the network is back.", action: undefined },
  ]);
  // The banner says why.
  press("click");
  expect(await requests()).toBe(1);
  connect();
  expect(await requests()).toBe(2);
  expect(part.now()).toEqual({ name: "part" });
  expect(changed).toHaveBeenCalledOnce();
  expect(notices).toHaveLength(1);
});

test.each(["click", "keydown"] as const)("the next %s requests a part again", async (type) => {
  const { part, requests } = failing(1);
  part.watch(() => undefined, true);
  await requests();
  press(type);
  expect(await requests()).toBe(2);
  expect(part.now()).toEqual({ name: "part" });
  expect(notices).toHaveLength(1);
});

test("a part that fails with a network offers to reload the page, and says it again after the notice is gone", async () => {
  const { part, requests } = failing(Number.POSITIVE_INFINITY);
  part.watch(() => undefined, true);
  await requests();
  press("click");
  expect(await requests()).toBe(2);
  expect(notices).toMatchObject([
    {
      description: "Check the connection, or reload the page: there may be a new version.",
      action: { label: "Reload" },
    },
  ]);
  notices[0]?.action?.run();
  expect(reload).toHaveBeenCalledOnce();
  dismiss();
  press("click");
  expect(await requests()).toBe(3);
  expect(notices).toHaveLength(1);
});

test("a press on the notice and a key in a field request nothing", async () => {
  const { part, requests } = failing(1);
  part.watch(() => undefined, true);
  await requests();
  press("click", new Place("data-notices"));
  press("keydown", new Place("input"));
  expect(await requests()).toBe(1);
});

test("a part that loads in advance fails in silence, until it is asked for", async () => {
  const { part, requests } = failing(2);
  const end = part.watch(() => undefined, false);
  await requests();
  expect(notices).toEqual([]);
  end();
  part.watch(() => undefined, true);
  expect(await requests()).toBe(2);
  expect(notices).toHaveLength(1);
  press("click");
  expect(await requests()).toBe(3);
  expect(part.now()).toEqual({ name: "part" });
});

test("a part that left the page is requested again only when it comes back", async () => {
  const { part, requests } = failing(1);
  const end = part.watch(() => undefined, true);
  end();
  await requests();
  expect(notices).toEqual([]);
  press("click");
  connect();
  expect(await requests()).toBe(1);
  part.watch(() => undefined, true);
  expect(await requests()).toBe(2);
  expect(part.now()).toEqual({ name: "part" });
});

const load = vi.fn(async () => () => <b>part</b>);
const Part = later(load);
const Placed = later(load, () => <i>placed</i>);
const menuPart = latePart(load);

function Menu() {
  return <u>{useLater(menuPart, true) ? "menu" : "button"}</u>;
}

test("the server draws what holds a part's place, and loads nothing", () => {
  const html = renderToStaticMarkup(
    <p>
      <Part />
      <Placed />
      <Menu />
    </p>,
  );
  expect(html).toBe("<p><i>placed</i><u>button</u></p>");
  expect(load).not.toHaveBeenCalled();
});

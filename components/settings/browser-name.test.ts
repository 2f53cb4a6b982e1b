import { expect, test } from "vitest";
import { browserName } from "./browser-name";

test("browsers are called by the name people know, not by the ones they also carry", () => {
  expect(
    browserName(
      "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36 Edg/130.0.0.0",
    ),
  ).toBe("Edge on Windows");
  expect(
    browserName(
      "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1",
    ),
  ).toBe("Safari on iPhone");
  expect(
    browserName("Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0"),
  ).toBe("Firefox on Linux");
  expect(browserName("curl/8.5.0")).toBe("curl");
  expect(browserName(null)).toBe("An unknown program");
});

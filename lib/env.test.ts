import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { EnvError, readEnv, SETTINGS } from "@/lib/env";

describe("settings", () => {
  test("nothing set gives the defaults", () => {
    const env = readEnv({});
    expect(env).toMatchObject({
      PORT: 3000,
      HOST: "127.0.0.1",
      BASE_URL: "http://localhost:3000",
      SIGN_UP: "closed",
      TRUSTED_PROXIES: [],
    });
    expect(env.DATABASE_URL).toBeUndefined();
  });

  test("the base address follows the port and loses its slash", () => {
    expect(readEnv({ PORT: "81" }).BASE_URL).toBe("http://localhost:81");
    expect(readEnv({ BASE_URL: "https://Pay.example.com/" }).BASE_URL).toBe(
      "https://pay.example.com",
    );
  });

  test("an empty value counts as absent", () => {
    expect(readEnv({ PORT: "", DATABASE_URL: " " })).toMatchObject({ PORT: 3000 });
  });

  test.each([
    ["PORT", "abc"],
    ["PORT", "70000"],
    ["PORT", "0"],
    ["PORT", "-1"],
    ["BASE_URL", "pay.example.com"],
    ["BASE_URL", "https://pay.example.com/shop"],
    ["BASE_URL", "https://a:b@pay.example.com"],
    ["BASE_URL", "ftp://pay.example.com"],
    ["DATABASE_URL", "mysql://localhost/kutip"],
    ["DATABASE_POOL", "1"],
    ["KUTIP_SECRET", "short"],
    ["SMTP_URL", "mail.example.com"],
    ["MAIL_FROM", "nobody"],
    ["RATE_LIMIT_KEY", "many"],
    ["TRUSTED_PROXIES", "10.0.0.0/33"],
    ["TRUSTED_PROXIES", "proxy.local"],
    ["SIGN_UP", "yes"],
    ["WEBHOOK_ALLOW_PRIVATE", "maybe"],
    ["LOG_LEVEL", "loud"],
    ["WORKER_POLL_MS", "0"],
  ])("%s=%s is refused by name", (name, value) => {
    expect(() => readEnv({ [name]: value })).toThrow(EnvError);
    expect(() => readEnv({ [name]: value })).toThrow(new RegExp(`^${name} must be `));
  });

  test("all bad settings are named at once and secrets are not repeated", () => {
    const read = () =>
      readEnv({ PORT: "x", KUTIP_SECRET: "hush", DATABASE_URL: "mysql://me:hush@host" });
    expect(read).toThrow(/PORT must be.*DATABASE_URL must be.*KUTIP_SECRET must be/s);
    expect(read).not.toThrow(/hush/);
  });

  test("open sign-up needs a mail server, since addresses are proven by mail", () => {
    const smtp = "smtp://localhost:25";
    for (const given of [{}, { SMTP_URL: "" }, { SMTP_URL: " " }])
      expect(() => readEnv({ SIGN_UP: "open", ...given })).toThrow(/^SMTP_URL must be set/);
    expect(readEnv({ SIGN_UP: "open", SMTP_URL: smtp }).SIGN_UP).toBe("open");
    expect(readEnv({ SIGN_UP: "invite" }).SIGN_UP).toBe("invite");
  });

  test.each(["DATABASE_DIRECT_URL", "DATABASE_REPLICA_URL"])(
    "%s alone is refused: the embedded database would be used beside another one",
    (name) => {
      const url = "postgres://a@b/c";
      expect(() => readEnv({ [name]: url })).toThrow(/^DATABASE_URL must be set/);
      expect(readEnv({ DATABASE_URL: url, [name]: url })).toMatchObject({ [name]: url });
    },
  );

  test("a sender's name and address come apart", () => {
    expect(readEnv({ MAIL_FROM: 'Shop "A" <pay@example.com>' }).MAIL_FROM).toEqual({
      name: 'Shop "A"',
      address: "pay@example.com",
    });
    expect(readEnv({ MAIL_FROM: "pay@example.com" }).MAIL_FROM).toEqual({
      name: "",
      address: "pay@example.com",
    });
  });

  test("proxies are addresses and ranges", () => {
    expect(readEnv({ TRUSTED_PROXIES: "10.0.0.0/8, ::1" }).TRUSTED_PROXIES).toEqual([
      "10.0.0.0/8",
      "::1",
    ]);
  });
});

// `npx vitest run --project unit lib/env.test.ts -u` writes it anew.
test(".env.example lists every setting, commented out, with its help and its default", async () => {
  const settings = SETTINGS.map(({ name, help, optional, default: value }) =>
    optional ? `# ${help} (without it: ${value})\n#${name}=` : `# ${help}\n#${name}=${value}`,
  );
  const head =
    "# Settings of Kutip. Copy to .env and take the # away from those you change; the environment goes before the file.";
  await expect(`${[head, ...settings].join("\n\n")}\n`).toMatchFileSnapshot(
    path.resolve(".env.example"),
  );
});

test("every setting is read by some code", () => {
  const code = ["app", "components", "db", "lib"]
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) =>
        path.join(folder, name),
      ),
    )
    .filter((file) => /(?<!\.test)\.tsx?$/.test(file) && !/^lib\/(env\.ts|settings\/)/.test(file))
    .map((file) => readFileSync(file, "utf8"))
    .join("\n");
  const unread = SETTINGS.filter(
    ({ name }) => !new RegExp(`\\benv\\.${name}\\b|\\b${name}\\b[^=;]*\\} = env\\b`).test(code),
  );
  // OpenTelemetry's own exporter reads this one.
  expect(unread.map(({ name }) => name)).toEqual(["OTEL_EXPORTER_OTLP_HEADERS"]);
});

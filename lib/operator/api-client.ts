import { chosenFolder, placesIn } from "@/db/embedded/folder";
import { Refusal } from "@/db/embedded/refusal";
import { addressOfInstall } from "@/lib/supervisor/running";
import { linesOfStdin, UsageError } from "./usage";

/** Calls the API of an install, this one or another, with a key of test mode. */
export type ApiClient = {
  origin: string;
  call: <T>(method: string, path: string, body?: unknown) => Promise<T>;
};

/** A call that the API refused; `retryAfterSeconds` where a later one may succeed. */
export class RefusedCall extends Refusal {
  constructor(
    message: string,
    readonly retryAfterSeconds: number | null,
  ) {
    super(message);
  }
}

/** The first line of stdin: arguments are seen by others. */
export async function keyFromStdin(): Promise<string> {
  const [key = ""] = await linesOfStdin(
    "paste an API key of test mode, Enter, and end with Ctrl-D",
  );
  return key.trim();
}

/** A client of the install at `url`, by default of this one. Throws where the key is not of test mode. */
export function apiClient(
  key: string,
  url: string = addressOfInstall(placesIn(chosenFolder()).running),
): ApiClient {
  if (!key.startsWith("sk_test_"))
    throw new UsageError("the first line of stdin is an API key of test mode, sk_test_…");
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new UsageError("--url is the address of an install, such as https://pay.example.com");
  const { origin } = new URL(url);
  return {
    origin,
    call: async <T>(method: string, path: string, body?: unknown): Promise<T> => {
      const response = await fetch(`${origin}/api${path}`, {
        method,
        headers: {
          authorization: `Bearer ${key}`,
          accept: "application/json",
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }).catch(() => {
        throw new RefusedCall(`no answer from ${origin}`, 1);
      });
      const answer = (await response.json().catch(() => null)) as {
        data?: T;
        message?: string;
        errors?: Record<string, string[]>;
      } | null;
      if (response.ok && answer) return answer.data as T;
      const fields = Object.values(answer?.errors ?? {}).flat();
      const mayWorkLater = response.status === 429 || response.status >= 500;
      throw new RefusedCall(
        `${method} ${path}: ${[answer?.message ?? `answered ${response.status}`, ...fields].join(" ")}`,
        mayWorkLater ? Number(response.headers.get("retry-after") ?? 1) : null,
      );
    },
  };
}

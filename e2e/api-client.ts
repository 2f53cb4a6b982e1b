/** An answer of the API: status, headers, the body as it came and as JSON. */
export type Answer = {
  status: number;
  headers: Headers;
  text: string;
  body: { success?: boolean; data?: unknown; message?: string; code?: string; errors?: unknown };
};

/** Calls the API over HTTP as a business's program does. */
export class Api {
  constructor(
    readonly url: string,
    readonly key: string,
  ) {}

  async call(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const response = await fetch(`${this.url}/api${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.key}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: JSON.parse(text) as Answer["body"],
    };
  }

  /** The `data` of a success; anything else throws with what was said. */
  async ok<T>(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<T> {
    const answer = await this.call(method, path, body, headers);
    if (answer.status !== 200)
      throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.body.data as T;
  }
}

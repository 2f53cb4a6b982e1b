import type { Operation } from "./endpoint";

export const languages = [
  { id: "curl", name: "curl" },
  { id: "node", name: "Node" },
  { id: "php", name: "PHP" },
  { id: "python", name: "Python" },
] as const;
export type Language = (typeof languages)[number]["id"];

/** Those of all pieces of code: some are not calls. */
export const codeLanguages = [...languages, { id: "go", name: "Go" }] as const;
export type CodeLanguage = (typeof codeLanguages)[number]["id"];

/** The name snippets use for a key that is not written out: read from the environment in every language. */
export const keyVariable = "$API_KEY";

export type SnippetValues = {
  /** Origin of the install, without a trailing slash. */
  baseUrl: string;
  /** A key, or `keyVariable`, the default. */
  apiKey?: string;
  params?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string>>;
  body?: Readonly<Record<string, unknown>>;
};

type Call = {
  method: string;
  url: string;
  apiKey: string;
  body: Readonly<Record<string, unknown>> | undefined;
};

/** A program that makes one call of an endpoint: ready to be pasted into a shell or a file. */
export function snippet(
  endpoint: Pick<Operation, "method" | "path">,
  language: Language,
  { baseUrl, apiKey = keyVariable, params = {}, query = {}, body }: SnippetValues,
): string {
  const path = endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? name),
  );
  const search = new URLSearchParams(query).toString();
  const call: Call = {
    method: endpoint.method,
    url: `${baseUrl}/api${path}${search && `?${search}`}`,
    apiKey,
    body,
  };
  return writers[language](call);
}

const writers: Record<Language, (call: Call) => string> = { curl, node, php, python };

/** A text as one word of a shell. */
export const shellQuoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

function curl({ method, url, apiKey, body }: Call): string {
  const bearer =
    apiKey === keyVariable
      ? `"Authorization: Bearer ${keyVariable}"`
      : shellQuoted(`Authorization: Bearer ${apiKey}`);
  const lines = [
    `curl ${method === "GET" ? "" : `-X ${method} `}${/^[\w.:/%-]+$/.test(url) ? url : shellQuoted(url)}`,
    `-H ${bearer}`,
    `-H 'Accept: application/json'`,
  ];
  if (body)
    lines.push(
      `-H 'Content-Type: application/json'`,
      `-d ${shellQuoted(JSON.stringify(body, null, 2)).replaceAll("\n", "\n  ")}`,
    );
  return lines.join(" \\\n  ");
}

type Style = {
  entry: (key: string, value: string) => string;
  object: [string, string];
  list: [string, string];
  words: Record<string, string>;
  text: (value: string) => string;
  indent: string;
};

/** A JSON value in a language's own notation. */
function literal(value: unknown, style: Style, depth: number): string {
  if (typeof value === "string") return style.text(value);
  if (typeof value !== "object" || value === null)
    return style.words[String(value)] ?? String(value);
  const list = Array.isArray(value);
  const [open, close] = list ? style.list : style.object;
  const parts = list
    ? value.map((item) => literal(item, style, depth + 1))
    : Object.entries(value).map(([key, item]) => style.entry(key, literal(item, style, depth + 1)));
  if (parts.length === 0) return open + close;
  const inner = style.indent.repeat(depth + 1);
  return `${open}\n${inner}${parts.join(`,\n${inner}`)},\n${style.indent.repeat(depth)}${close}`;
}

const doubleQuoted = (text: string) => JSON.stringify(text);
const phpQuoted = (text: string) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

const javascript: Style = {
  entry: (key, value) => `${/^[A-Za-z_]\w*$/.test(key) ? key : doubleQuoted(key)}: ${value}`,
  object: ["{", "}"],
  list: ["[", "]"],
  words: {},
  text: doubleQuoted,
  indent: "  ",
};
const phpStyle: Style = {
  entry: (key, value) => `${phpQuoted(key)} => ${value}`,
  object: ["[", "]"],
  list: ["[", "]"],
  words: {},
  text: phpQuoted,
  indent: "    ",
};
const pythonStyle: Style = {
  entry: (key, value) => `${doubleQuoted(key)}: ${value}`,
  object: ["{", "}"],
  list: ["[", "]"],
  words: { true: "True", false: "False", null: "None" },
  text: doubleQuoted,
  indent: "    ",
};

function node({ method, url, apiKey, body }: Call): string {
  const bearer =
    apiKey === keyVariable
      ? `\`Bearer \${process.env.API_KEY}\``
      : doubleQuoted(`Bearer ${apiKey}`);
  return [
    `const response = await fetch(${doubleQuoted(url)}, {`,
    ...(method === "GET" ? [] : [`  method: "${method}",`]),
    "  headers: {",
    `    Authorization: ${bearer},`,
    `    Accept: "application/json",`,
    ...(body ? [`    "Content-Type": "application/json",`] : []),
    "  },",
    ...(body ? [`  body: JSON.stringify(${literal(body, javascript, 1)}),`] : []),
    "});",
    "const answer = await response.json();",
    "console.log(response.status, answer);",
  ].join("\n");
}

function php({ method, url, apiKey, body }: Call): string {
  const bearer =
    apiKey === keyVariable
      ? "'Authorization: Bearer ' . getenv('API_KEY')"
      : phpQuoted(`Authorization: Bearer ${apiKey}`);
  return [
    "<?php",
    `$request = curl_init(${phpQuoted(url)});`,
    "curl_setopt_array($request, [",
    ...(method === "GET" ? [] : [`    CURLOPT_CUSTOMREQUEST => '${method}',`]),
    "    CURLOPT_RETURNTRANSFER => true,",
    "    CURLOPT_HTTPHEADER => [",
    `        ${bearer},`,
    "        'Accept: application/json',",
    ...(body ? ["        'Content-Type: application/json',"] : []),
    "    ],",
    ...(body ? [`    CURLOPT_POSTFIELDS => json_encode(${literal(body, phpStyle, 1)}),`] : []),
    "]);",
    "$answer = json_decode(curl_exec($request), true);",
    "echo curl_getinfo($request, CURLINFO_RESPONSE_CODE), PHP_EOL;",
    "print_r($answer);",
  ].join("\n");
}

function python({ method, url, apiKey, body }: Call): string {
  const bearer =
    apiKey === keyVariable ? `f"Bearer {os.environ['API_KEY']}"` : doubleQuoted(`Bearer ${apiKey}`);
  return [
    ...(apiKey === keyVariable ? ["import os"] : []),
    "import requests",
    "",
    `response = requests.${method.toLowerCase()}(`,
    `    ${doubleQuoted(url)},`,
    `    headers={"Authorization": ${bearer}, "Accept": "application/json"},`,
    ...(body ? [`    json=${literal(body, pythonStyle, 1)},`] : []),
    "    timeout=30,",
    ")",
    "print(response.status_code, response.json())",
  ].join("\n");
}

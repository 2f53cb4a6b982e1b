import http from "node:http";

/** Functions of packages that another package imports at once, and that few processes ever call. Each of them answers with a promise. */
const LAZY = {
  "@simplewebauthn/server": [
    "generateAuthenticationOptions",
    "generateRegistrationOptions",
    "verifyAuthenticationResponse",
    "verifyRegistrationResponse",
  ],
};
// An import of `node:http` reads each of its exports, and three of them load an HTTP client of 14 MB that few processes use.
const HTTP = /^(node:)?http$/;
const FILTER = new RegExp(`^(${Object.keys(LAZY).join("|")})$`);

/** For esbuild: these packages are loaded with the first call of one of their functions, and `node:http` without its clients for browsers' APIs. */
export const lazyPlugin = {
  name: "lazy",
  setup(build) {
    build.onResolve({ filter: FILTER }, ({ path, namespace, resolveDir }) =>
      namespace === "lazy" ? undefined : { path, namespace: "lazy", pluginData: resolveDir },
    );
    build.onLoad({ filter: FILTER, namespace: "lazy" }, ({ path, pluginData: resolveDir }) => ({
      contents: LAZY[path]
        .map(
          (name) =>
            `export const ${name} = async (...given) => (await import(${JSON.stringify(path)})).${name}(...given);`,
        )
        .join("\n"),
      resolveDir,
      loader: "js",
    }));
    build.onResolve({ filter: HTTP }, ({ kind }) =>
      kind === "import-statement" ? { path: "node:http", namespace: "plain" } : undefined,
    );
    build.onLoad({ filter: /^/, namespace: "plain" }, ({ path }) => {
      const properties = Object.entries(Object.getOwnPropertyDescriptors(http));
      const names = properties.filter(([, { get }]) => get === undefined).map(([name]) => name);
      return {
        contents: `const plain = process.getBuiltinModule("${path}");\nexport default plain;\nexport const { ${names.join(", ")} } = plain;`,
        loader: "js",
      };
    });
  },
};

/** Functions of packages that another package imports at once, and that few processes ever call. Each of them answers with a promise. */
const LAZY = {
  "@simplewebauthn/server": [
    "generateAuthenticationOptions",
    "generateRegistrationOptions",
    "verifyAuthenticationResponse",
    "verifyRegistrationResponse",
  ],
};
const FILTER = new RegExp(`^(${Object.keys(LAZY).join("|")})$`);

/** For esbuild: these packages are loaded with the first call of one of their functions. */
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
  },
};

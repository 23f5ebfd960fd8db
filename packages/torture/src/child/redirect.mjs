// A hook of the module loader: one package comes from another folder, by its own name and exports.
let found = { name: "", parentURL: "" };

export const initialize = (data) => {
  found = data;
};

export const resolve = (specifier, context, nextResolve) =>
  specifier === found.name || specifier.startsWith(`${found.name}/`)
    ? nextResolve(specifier, { ...context, parentURL: found.parentURL })
    : nextResolve(specifier, context);

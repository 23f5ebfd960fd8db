// The hovers of public options. An option that may be left out names its default.
import { posix } from "node:path";
import ts from "typescript";
import type { File } from "./files.ts";

/** The sources behind the subpaths of a package, but for suites and for adapters. */
export const entryPoints = (manifest: File): string[] => {
  // The condition is this repository's own.
  const { exports = {} } = JSON.parse(manifest.text) as {
    readonly exports?: Readonly<Record<string, { readonly "@queuert/source"?: string }>>;
  };
  return Object.entries(exports)
    .filter(([subpath]) => !/testing|internal/.test(subpath))
    .flatMap(([, { "@queuert/source": source }]) =>
      source === undefined ? [] : [posix.join(posix.dirname(manifest.path), source)],
    );
};

type Sources = ReadonlyMap<string, ts.SourceFile>;

const isExported = (statement: ts.Statement): boolean =>
  ts.canHaveModifiers(statement) &&
  ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true;

/** The interfaces that an entry point exports, by itself or from other files. */
const exportedInterfaces = (
  path: string,
  sources: Sources,
  names: ReadonlySet<string> | null,
): ts.InterfaceDeclaration[] =>
  (sources.get(path)?.statements ?? []).flatMap((statement): ts.InterfaceDeclaration[] => {
    if (ts.isInterfaceDeclaration(statement) && isExported(statement)) {
      return names === null || names.has(statement.name.text) ? [statement] : [];
    }
    if (!ts.isExportDeclaration(statement) || statement.moduleSpecifier === undefined) return [];
    const from = posix.join(
      posix.dirname(path),
      (statement.moduleSpecifier as ts.StringLiteral).text,
    );
    const { exportClause } = statement;
    // `export *` passes on the names that were asked for.
    if (exportClause === undefined || !ts.isNamedExports(exportClause)) {
      return exportedInterfaces(from, sources, names);
    }
    const own = exportClause.elements.map(({ name, propertyName }) => (propertyName ?? name).text);
    const wanted = own.filter((name) => names === null || names.has(name));
    return wanted.length === 0 ? [] : exportedInterfaces(from, sources, new Set(wanted));
  });

const hoverOf = (member: ts.Node): string =>
  ts
    .getJSDocCommentsAndTags(member)
    .map((comment) => comment.getText())
    .join(" ");

/** The options of a package without a hover, and those that may be left out and do not name their default. */
export const silentOptions = (entryPaths: readonly string[], files: readonly File[]): string[] => {
  const sources: Sources = new Map(
    files.map(({ path, text }) => [
      path,
      ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true),
    ]),
  );
  const interfaces = new Set(entryPaths.flatMap((path) => exportedInterfaces(path, sources, null)));
  return [...interfaces]
    .filter(({ name }) => /(Options|Config)$/.test(name.text))
    .flatMap(({ name, members }) =>
      members.filter(ts.isPropertySignature).flatMap((member) => {
        const hover = hoverOf(member);
        const option = `${member.getSourceFile().fileName}: ${name.text}.${member.name.getText()}`;
        if (hover === "") return [`${option} has no hover`];
        const isNamed = member.questionToken === undefined || /default|left out/i.test(hover);
        return isNamed ? [] : [`${option} does not name its default`];
      }),
    );
};

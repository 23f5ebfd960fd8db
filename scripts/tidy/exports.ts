// The names that a package exports: each has a hover, and each function an example.
import { posix } from "node:path";
import ts from "typescript";
import type { File } from "./files.ts";

/** A name as users import it. */
export type ExportedName = {
  readonly name: string;
  /** The file of its declaration. */
  readonly path: string;
  readonly hover: string;
  readonly isFunction: boolean;
  /** Without the body of a function or a class. */
  readonly declaration: string;
  /** The code of its `@example`, without the fences. */
  readonly examples: readonly string[];
};

type Sources = ReadonlyMap<string, ts.SourceFile>;

/** Parses each file once, for all entry points. */
export const parseSources = (files: readonly File[]): Sources =>
  new Map(
    files.map(({ path, text }) => [
      path,
      ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true),
    ]),
  );

const isExported = (statement: ts.Statement): boolean =>
  ts.canHaveModifiers(statement) &&
  ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true;

/** The declared names of a statement, with whether each is a function. */
const declaredNames = (statement: ts.Statement): [name: string, isFunction: boolean][] => {
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.map(({ name, initializer }) => [
      name.getText(),
      initializer !== undefined &&
        (ts.isArrowFunction(initializer) || ts.isFunctionExpression(initializer)),
    ]);
  }
  if (ts.isFunctionDeclaration(statement)) return [[statement.name?.text ?? "default", true]];
  const isNamed =
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement) ||
    ts.isClassDeclaration(statement) ||
    ts.isEnumDeclaration(statement);
  return isNamed ? [[statement.name?.text ?? "default", false]] : [];
};

const fenced = /```ts\n([\s\S]*?)```/g;

const toExportedName = (
  name: string,
  statement: ts.Statement,
  isFunction: boolean,
): ExportedName => {
  const comments = ts.getJSDocCommentsAndTags(statement);
  const tags = comments.flatMap((comment) => (ts.isJSDoc(comment) ? (comment.tags ?? []) : []));
  const examples = tags
    .filter(({ tagName }) => tagName.text === "example")
    .flatMap(({ comment }) => [...(ts.getTextOfJSDocComment(comment) ?? "").matchAll(fenced)])
    .map(([, code = ""]) => code);
  return {
    name,
    path: statement.getSourceFile().fileName,
    hover: comments.map((comment) => comment.getText()).join(" "),
    isFunction,
    declaration: declarationOf(statement),
    examples,
  };
};

const declarationOf = (statement: ts.Statement): string => {
  const text = statement.getSourceFile().text;
  const start = statement.getStart();
  if (ts.isClassDeclaration(statement)) return text.slice(start, text.indexOf("{", start)).trim();
  if (ts.isFunctionDeclaration(statement)) return text.slice(start, statement.body?.pos).trim();
  if (!ts.isVariableStatement(statement)) return statement.getText();
  const [declaration] = statement.declarationList.declarations;
  const { initializer } = declaration ?? {};
  const isArrow = initializer !== undefined && ts.isArrowFunction(initializer);
  // Up to its type: a value is of no interest.
  const end = isArrow ? initializer.body.pos : (initializer?.pos ?? statement.end);
  return text
    .slice(start, end)
    .trim()
    .replace(/\s*(=>|=)$/, "");
};

const renamed = (clause: ts.NamedExports): Map<string, string> =>
  new Map(
    clause.elements.map(({ name, propertyName }) => [(propertyName ?? name).text, name.text]),
  );

/** The names of an entry point, its own and those of other files. Those of other packages have their hovers there. */
export const exportedNames = (path: string, sources: Sources): ExportedName[] => {
  const statements: readonly ts.Statement[] = sources.get(path)?.statements ?? [];
  const own = statements.flatMap((statement) =>
    declaredNames(statement).map(([name, isFunction]) => ({
      isExported: isExported(statement),
      found: toExportedName(name, statement, isFunction),
    })),
  );
  const passedOn = statements.filter(ts.isExportDeclaration).flatMap((statement) => {
    const { exportClause, moduleSpecifier } = statement;
    const specifier = moduleSpecifier && (moduleSpecifier as ts.StringLiteral).text;
    if (specifier !== undefined && !specifier.startsWith(".")) return [];
    const found =
      specifier === undefined
        ? own.map((each) => each.found)
        : exportedNames(posix.join(posix.dirname(path), specifier), sources);
    if (exportClause === undefined || !ts.isNamedExports(exportClause)) return found;
    const names = renamed(exportClause);
    return found.flatMap((each) => {
      const name = names.get(each.name);
      return name === undefined ? [] : [{ ...each, name }];
    });
  });
  return [...own.filter((each) => each.isExported).map((each) => each.found), ...passedOn];
};

/** The exported names without a hover, and the functions without an example. */
export const silentExports = (entryPaths: readonly string[], files: readonly File[]): string[] => {
  const sources = parseSources(files);
  const all = entryPaths.flatMap((path) => exportedNames(path, sources));
  // A name may be exported twice, and an overload has a comment of its own.
  const hovers = new Map<string, ExportedName[]>();
  for (const each of all) {
    const key = `${each.path}: ${each.name}`;
    hovers.set(key, [...(hovers.get(key) ?? []), each]);
  }
  return [...hovers].flatMap(([key, found]) => {
    if (found.every(({ hover }) => hover === "")) return [`${key} has no hover`];
    const isSilent =
      found.some(({ isFunction }) => isFunction) &&
      found.every(({ examples }) => examples.length === 0);
    return isSilent ? [`${key} has no \`@example\` with a block of ts`] : [];
  });
};

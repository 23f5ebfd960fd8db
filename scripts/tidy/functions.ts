import ts from "typescript";
import type { File } from "./files.ts";

export type FunctionLength = { readonly at: string; readonly lines: number };

const isFunction = (node: ts.Node): node is ts.FunctionLikeDeclaration =>
  ts.isFunctionDeclaration(node) ||
  ts.isFunctionExpression(node) ||
  ts.isArrowFunction(node) ||
  ts.isMethodDeclaration(node) ||
  ts.isConstructorDeclaration(node);

/** Lengths of all functions that are longer than a line; an inner one's lines are its outer one's too. */
export const functionLengths = ({ path, text }: File): FunctionLength[] => {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const found: FunctionLength[] = [];
  const lineOf = (position: number): number => source.getLineAndCharacterOfPosition(position).line;
  const visit = (node: ts.Node): void => {
    if (isFunction(node) && node.body) {
      const first = lineOf(node.getStart(source));
      const lines = lineOf(node.end) - first + 1;
      if (lines > 1) found.push({ at: `${path}:${first + 1}`, lines });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
};

/** Names of the methods of an interface, in the order they are written. */
export const methodNames = ({ path, text }: File, interfaceName: string): string[] => {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  return source.statements
    .filter(ts.isInterfaceDeclaration)
    .filter(({ name }) => name.text === interfaceName)
    .flatMap(({ members }) => members.filter(ts.isMethodSignature))
    .map(({ name }) => name.getText(source));
};

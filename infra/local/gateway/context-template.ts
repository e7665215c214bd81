import { isObject, TemplateError } from "../intrinsics.ts";

/** What `$context` holds while one request is answered. */
export type ContextVariables = Record<string, unknown>;

/** Refuses a template with more than plain variables: the gateway substitutes, it runs no template language. */
export function checkTemplate(template: string, logicalId: string): string {
  const [unknown] = template.match(/#(set|if|foreach|end|else)\b|\$(?!context\.)[a-zA-Z]+/) ?? [];
  if (unknown === undefined) return template;
  throw new TemplateError(`${logicalId}: the template's ${unknown} is not known to the local target`);
}

/** Puts `$context.…` values in, unescaped as the gateway does. A variable without a value becomes empty. */
export function substitute(template: string, context: ContextVariables): string {
  return template.replaceAll(
    /\$context\.([a-zA-Z0-9_.]*[a-zA-Z0-9_])/g,
    (_match, path: string) => contextValue(path, context) ?? "",
  );
}

/** The value of a header parameter: `'literal'` or `context.…`. Undefined leaves the header out. */
export function parameterValue(expression: string, context: ContextVariables): string | undefined {
  const [, literal] = /^'(.*)'$/.exec(expression) ?? [];
  return literal ?? contextValue(expression.replace(/^context\./, ""), context);
}

function contextValue(path: string, context: ContextVariables): string | undefined {
  let value: unknown = context;
  for (const part of path.split("."))
    value = isObject(value) && Object.hasOwn(value, part) ? value[part] : undefined;
  return value === undefined || value === null || typeof value === "object" ? undefined : String(value);
}

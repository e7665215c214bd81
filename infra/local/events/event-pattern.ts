import { isObject, TemplateError } from "../template.ts";

/**
 * The supported part of the pattern language of EventBridge and Lambda filters: values and
 * `exists`. Compiled at start, so that an unknown operator fails instead of never matching.
 */
export type Pattern = (event: unknown) => boolean;

/** Compiles a pattern. Throws TemplateError with the path of the fault. */
export function compilePattern(pattern: unknown, path = "pattern"): Pattern {
  if (!isObject(pattern)) throw new TemplateError(`${path} is not an object`);
  const fields = Object.entries(pattern).map(([name, rule]): Pattern => {
    const here = `${path}.${name}`;
    if (Array.isArray(rule)) {
      if (rule.length === 0) throw new TemplateError(`${here} is empty`);
      const checks = rule.map((each, index) => compileCheck(each, `${here}[${index}]`));
      return (event) => {
        const values = valuesAt(event, name);
        return checks.some((check) => (values.length === 0 ? check(undefined) : values.some(check)));
      };
    }
    const inner = compilePattern(rule, here);
    return (event) => {
      const values = valuesAt(event, name);
      // An absent object is tested as an empty one, because it may contain `exists: false`.
      return values.length === 0 ? inner({}) : values.some((value) => inner(value));
    };
  });
  return (event) => fields.every((field) => field(event));
}

/** Returns a field's values: an array counts as its elements. */
function valuesAt(event: unknown, name: string): unknown[] {
  const value = isObject(event) && Object.hasOwn(event, name) ? event[name] : undefined;
  if (value === undefined) return [];
  return Array.isArray(value) ? value.flat(Number.POSITIVE_INFINITY) : [value];
}

function compileCheck(rule: unknown, path: string): (value: unknown) => boolean {
  if (!isObject(rule)) return (value) => value === rule;
  const [[operator, operand] = [], ...more] = Object.entries(rule);
  if (operator === undefined || more.length > 0) throw new TemplateError(`${path} must have one operator`);
  const here = `${path}.${operator}`;
  if (operator !== "exists") throw new TemplateError(`${here}: the operator is not known`);
  if (typeof operand !== "boolean") throw new TemplateError(`${here} is not a boolean`);
  return (value) => (value !== undefined) === operand;
}

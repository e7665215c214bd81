import { isObject, TemplateError } from "../template.ts";

/**
 * The pattern language of EventBridge rules and of Lambda's event filters, as far as the template uses it: values and
 * `exists`. Patterns are compiled at start, so that an unknown operator is an error and not a pattern that never matches.
 */
export type Pattern = (event: unknown) => boolean;

/** Compiles a pattern. Errors: TemplateError, with the path of the fault. */
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
      // An absent object is tested as an empty one: `exists: false` may be inside it.
      return values.length === 0 ? inner({}) : values.some((value) => inner(value));
    };
  });
  return (event) => fields.every((field) => field(event));
}

/** The values of a field: an array stands for each of its elements. */
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

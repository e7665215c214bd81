/**
 * The pattern language of EventBridge rules and of Lambda's event filters, as far as the template uses it: values, and whether there is any. A pattern is compiled at start, so that an
 * operator that is not known here is an error at start and not an event that silently matches nothing.
 */
export type Pattern = (event: unknown) => boolean;

type Check = (value: unknown) => boolean;

class PatternError extends Error {}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Compiles a pattern. Errors: PatternError, with the place of the fault. */
export function compilePattern(pattern: unknown, path = "pattern"): Pattern {
  if (!isObject(pattern)) throw new PatternError(`${path} is not an object`);
  const fields = Object.entries(pattern).map(([name, rule]): Pattern => {
    const here = `${path}.${name}`;
    if (Array.isArray(rule)) {
      if (rule.length === 0) throw new PatternError(`${here} is empty`);
      const checks = rule.map((each, index) => compileCheck(each, `${here}[${index}]`));
      return (event) => {
        const values = valuesAt(event, name);
        return checks.some((check) => (values.length === 0 ? check(undefined) : values.some(check)));
      };
    }
    const inner = compilePattern(rule, here);
    return (event) => {
      const values = valuesAt(event, name);
      // An absent object is tested as an empty one: `exists: false` may stand inside it.
      return values.length === 0 ? inner({}) : values.some((value) => inner(value));
    };
  });
  return (event) => fields.every((field) => field(event));
}

/** The values of a field: an array stands for each of its elements. */
function valuesAt(event: unknown, name: string): unknown[] {
  const holder = isObject(event) && Object.hasOwn(event, name) ? event[name] : undefined;
  if (holder === undefined) return [];
  return Array.isArray(holder) ? holder.flat(Number.POSITIVE_INFINITY) : [holder];
}

function compileCheck(rule: unknown, path: string): Check {
  if (!isObject(rule)) return (value) => value === rule;
  const [[operator, operand] = [], ...more] = Object.entries(rule);
  if (operator === undefined || more.length > 0) throw new PatternError(`${path} must have one operator`);
  const here = `${path}.${operator}`;
  if (operator !== "exists") throw new PatternError(`${here}: the operator is not known`);
  if (typeof operand !== "boolean") throw new PatternError(`${here} is not a boolean`);
  return (value) => (value !== undefined) === operand;
}

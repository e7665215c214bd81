import { isObject, TemplateError } from "../template.ts";

export type Pattern = (event: unknown) => boolean;
/** Gets undefined for an absent field. */
type Check = (value: unknown) => boolean;

/** EventBridge takes no longer one. */
const longest = 2048;

/** Supports values, `$or` and the operators below. Others fail at start. */
export function compilePattern(pattern: unknown, path = "pattern"): Pattern {
  const { length } = JSON.stringify(pattern) ?? "";
  if (length > longest) throw new TemplateError(`${path} has ${length} characters, more than ${longest}`);
  return compileFields(pattern, path);
}

function compileFields(pattern: unknown, path: string): Pattern {
  if (!isObject(pattern)) throw new TemplateError(`${path} is not an object`);
  const fields = Object.entries(pattern).map(([name, rule]): Pattern => {
    const here = `${path}.${name}`;
    if (name === "$or") return compileChoice(rule, here);
    if (Array.isArray(rule)) {
      if (rule.length === 0) throw new TemplateError(`${here} is empty`);
      const checks = rule.map((each, index) => compileCheck(each, `${here}[${index}]`));
      return (event) => {
        const values = valuesAt(event, name);
        return checks.some((check) => (values.length === 0 ? check(undefined) : values.some(check)));
      };
    }
    const inner = compileFields(rule, here);
    return (event) => {
      const values = valuesAt(event, name);
      // An absent object is tested as an empty one, because it may contain `exists: false`.
      return values.length === 0 ? inner({}) : values.some((value) => inner(value));
    };
  });
  return (event) => fields.every((field) => field(event));
}

function compileChoice(rule: unknown, path: string): Pattern {
  if (!Array.isArray(rule) || rule.length < 2)
    throw new TemplateError(`${path} must have two patterns or more`);
  const choices = rule.map((each, index) => compileFields(each, `${path}[${index}]`));
  return (event) => choices.some((choice) => choice(event));
}

/** An array counts as its elements. */
function valuesAt(event: unknown, name: string): unknown[] {
  const value = isObject(event) && Object.hasOwn(event, name) ? event[name] : undefined;
  if (value === undefined) return [];
  return Array.isArray(value) ? value.flat(Number.POSITIVE_INFINITY) : [value];
}

const comparisons: Readonly<Record<string, (operand: string) => (text: string) => boolean>> = {
  prefix: (operand) => (text) => text.startsWith(operand),
  suffix: (operand) => (text) => text.endsWith(operand),
  wildcard: (operand) => {
    const parts = operand.split("*").map((part) => part.replaceAll(/[^\w]/g, "\\$&"));
    const whole = new RegExp(`^${parts.join(".*")}$`, "s");
    return (text) => whole.test(text);
  },
};

function compileCheck(rule: unknown, path: string): Check {
  if (!isObject(rule)) return (value) => value === rule;
  const [[operator = "", operand] = [], ...more] = Object.entries(rule);
  if (operator === "" || more.length > 0) throw new TemplateError(`${path} must have one operator`);
  const here = `${path}.${operator}`;
  const compare = comparisons[operator];
  if (compare !== undefined) {
    if (typeof operand !== "string") throw new TemplateError(`${here} is not a text`);
    const isAlike = compare(operand);
    return (value) => typeof value === "string" && isAlike(value);
  }
  if (operator === "anything-but") {
    const but = [operand].flat().map((each) => compileCheck(each, here));
    // Like all operators but `exists`, it wants a value.
    return (value) => value !== undefined && !but.some((check) => check(value));
  }
  if (operator !== "exists") throw new TemplateError(`${here}: the operator is not known`);
  if (typeof operand !== "boolean") throw new TemplateError(`${here} is not a boolean`);
  return (value) => (value !== undefined) === operand;
}

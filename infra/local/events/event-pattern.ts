/**
 * The pattern language of EventBridge rules and of Lambda's event filters. A pattern is compiled at start, so that an
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
    if (name === "$or") return anyOf(rule, here);
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

function anyOf(rule: unknown, path: string): Pattern {
  if (!Array.isArray(rule) || rule.length === 0) throw new PatternError(`${path} is not a list`);
  const patterns = rule.map((each, index) => compilePattern(each, `${path}[${index}]`));
  return (event) => patterns.some((pattern) => pattern(event));
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
  switch (operator) {
    case "exists": {
      if (typeof operand !== "boolean") throw new PatternError(`${here} is not a boolean`);
      return (value) => (value !== undefined) === operand;
    }
    case "numeric":
      return numeric(operand, here);
    case "anything-but":
      return anythingBut(operand, here);
    case "equals-ignore-case":
      return insensitive(text(operand, here), (value, wanted) => value === wanted);
    case "wildcard":
      return wildcard(text(operand, here));
    case "prefix":
      return affix(operand, here, (value, wanted) => value.startsWith(wanted));
    case "suffix":
      return affix(operand, here, (value, wanted) => value.endsWith(wanted));
    default:
      throw new PatternError(`${here}: the operator is not known`);
  }
}

type Compare = (value: string, wanted: string) => boolean;

function text(operand: unknown, path: string): string {
  if (typeof operand !== "string") throw new PatternError(`${path} is not a string`);
  return operand;
}

function insensitive(wanted: string, compare: Compare): Check {
  return (value) => typeof value === "string" && compare(value.toLowerCase(), wanted.toLowerCase());
}

function affix(operand: unknown, path: string, compare: Compare): Check {
  if (isObject(operand)) return insensitive(text(operand["equals-ignore-case"], path), compare);
  const wanted = text(operand, path);
  return (value) => typeof value === "string" && compare(value, wanted);
}

function wildcard(operand: string): Check {
  const parts = operand.split("*").map((part) => part.replace(/[\\^$.+?()[\]{}|]/g, "\\$&"));
  const expression = new RegExp(`^${parts.join(".*")}$`, "s");
  return (value) => typeof value === "string" && expression.test(value);
}

function anythingBut(operand: unknown, path: string): Check {
  const check = isObject(operand)
    ? anyListed(Object.values(operand)[0], (each) =>
        compileCheck({ [Object.keys(operand)[0] ?? ""]: each }, path),
      )
    : anyListed(operand, (each) => compileCheck(each, path));
  return (value) => value !== undefined && !check(value);
}

function anyListed(operand: unknown, compile: (each: unknown) => Check): Check {
  const checks = (Array.isArray(operand) ? operand : [operand]).map(compile);
  return (value) => checks.some((check) => check(value));
}

const COMPARISONS: Record<string, (value: number, bound: number) => boolean> = {
  "=": (value, bound) => value === bound,
  "<": (value, bound) => value < bound,
  "<=": (value, bound) => value <= bound,
  ">": (value, bound) => value > bound,
  ">=": (value, bound) => value >= bound,
};

function numeric(operand: unknown, path: string): Check {
  if (!Array.isArray(operand) || operand.length === 0 || operand.length % 2 === 1) {
    throw new PatternError(`${path} is not a list of comparisons`);
  }
  const checks: ((value: number) => boolean)[] = [];
  for (let index = 0; index < operand.length; index += 2) {
    const compare = COMPARISONS[operand[index]];
    const bound: unknown = operand[index + 1];
    if (compare === undefined || typeof bound !== "number") {
      throw new PatternError(`${path} is not a list of comparisons`);
    }
    checks.push((value) => compare(value, bound));
  }
  return (value) => typeof value === "number" && checks.every((check) => check(value));
}

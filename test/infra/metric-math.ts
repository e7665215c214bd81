type Value = number | undefined;
type Result = Value | Value[];

/**
 * One data point of a CloudWatch expression. An operation on missing data has no result; `SUM`
 * passes over what is missing. Throws for what the alarms have no use for.
 */
export function evaluate(expression: string, dataOf: (id: string) => Value, quota: number): Value {
  const tokens = [...expression.matchAll(/\d+(?:\.\d+)?|[A-Za-z_]\w*|>=|<=|[-+*/<>()[\],]/g)].map(
    ([token]) => token,
  );
  if (tokens.join("") !== expression.replaceAll(" ", "")) throw new Error(`Not known here: ${expression}`);
  let at = 0;
  const take = (token: string) => {
    if (tokens[at] !== token) throw new Error(`${token} is missing at ${tokens[at]} in ${expression}`);
    at += 1;
  };
  const isNext = (...wanted: string[]) => wanted.includes(tokens[at] ?? "");
  const list = (end: string): Result[] => {
    const found: Result[] = [];
    while (!isNext(end)) {
      found.push(comparison());
      if (isNext(",")) take(",");
    }
    take(end);
    return found;
  };
  const operand = (): Result => {
    const token = tokens[at];
    at += 1;
    if (token === "(") {
      const value = comparison();
      take(")");
      return value;
    }
    if (token === "[") return list("]").map(single);
    if (token === undefined) throw new Error(`${expression} ends too early.`);
    if (/^\d/.test(token)) return Number(token);
    if (!isNext("(")) return dataOf(token);
    take("(");
    return call(token, list(")"), quota);
  };
  const binary = (next: () => Result, ...operators: string[]): Result => {
    let left = next();
    while (isNext(...operators)) {
      const operator = tokens[at] ?? "";
      at += 1;
      left = combine(operator, single(left), single(next()));
    }
    return left;
  };
  const product = () => binary(operand, "*", "/");
  const sum = () => binary(product, "+", "-");
  const comparison = (): Result => binary(sum, ">=", "<=", "<", ">");
  const value = single(comparison());
  if (at < tokens.length) throw new Error(`${tokens[at]} is not expected in ${expression}`);
  return value;
}

function call(name: string, given: readonly Result[], quota: number): Value {
  const [first, second, third] = given;
  if (name === "SUM") {
    const present = [first].flat().filter((value) => value !== undefined);
    return present.length === 0 ? undefined : present.reduce((sum, value) => sum + value, 0);
  }
  if (name === "IF") {
    const condition = single(first);
    return condition === undefined ? undefined : single(condition ? second : third);
  }
  if (name === "SERVICE_QUOTA") return quota;
  throw new Error(`${name} is not known here.`);
}

function combine(operator: string, left: Value, right: Value): Value {
  if (left === undefined || right === undefined) return undefined;
  const results: Record<string, () => number> = {
    "+": () => left + right,
    "-": () => left - right,
    "*": () => left * right,
    "/": () => left / right,
    ">=": () => Number(left >= right),
    "<=": () => Number(left <= right),
    "<": () => Number(left < right),
    ">": () => Number(left > right),
  };
  // CloudWatch has no data point for a division by zero.
  const result = results[operator]?.();
  return Number.isFinite(result) ? result : undefined;
}

function single(result: Result): Value {
  if (Array.isArray(result)) throw new Error("A list is no data point.");
  return result;
}

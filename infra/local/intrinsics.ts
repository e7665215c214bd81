/** What a template expression may refer to. Each lookup throws where the name is unknown. */
export interface Scope {
  ref(name: string): unknown;
  attribute(logicalId: string, attribute: string): unknown;
  stackOutput(stackName: string, outputName: string): unknown;
  condition(name: string): boolean;
}

/** Stands for a property that `AWS::NoValue` removes. */
export const NO_VALUE: unique symbol = Symbol("AWS::NoValue");

export class TemplateError extends Error {
  override readonly name = "TemplateError";
}

/** Resolves every intrinsic in a value, deeply. Errors: TemplateError for an intrinsic it does not know. */
export function resolve(value: unknown, scope: Scope): unknown {
  if (Array.isArray(value))
    return value.map((item) => resolve(item, scope)).filter((item) => item !== NO_VALUE);
  if (typeof value === "string" && value.includes("{{resolve:")) {
    throw new TemplateError("a dynamic reference ({{resolve:…}}) is not known to the local target");
  }
  if (!isObject(value)) return value;
  const keys = Object.keys(value);
  const [key] = keys;
  if (
    keys.length === 1 &&
    key !== undefined &&
    (key === "Ref" || key === "Condition" || key.startsWith("Fn::"))
  ) {
    // A policy statement has a `Condition` too, but there its value is an object.
    if (key !== "Condition" || typeof value[key] === "string")
      return resolveIntrinsic(key, value[key], scope);
  }
  const resolved: Record<string, unknown> = {};
  for (const [name, item] of Object.entries(value)) {
    const result = resolve(item, scope);
    if (result !== NO_VALUE) resolved[name] = result;
  }
  return resolved;
}

function resolveIntrinsic(name: string, argument: unknown, scope: Scope): unknown {
  switch (name) {
    case "Ref":
      return scope.ref(text(argument, name));
    case "Condition":
      return scope.condition(text(argument, name));
    case "Fn::If":
      return resolveIf(argument, scope);
  }
  const resolved = resolve(argument, scope);
  const operands = Array.isArray(resolved) ? resolved : [resolved];
  switch (name) {
    case "Fn::GetAtt": {
      const [logicalId, ...attribute] = operands.length === 1 ? text(operands[0], name).split(".") : operands;
      return scope.attribute(text(logicalId, name), attribute.map((part) => text(part, name)).join("."));
    }
    case "Fn::Join":
      return list(operands[1], name)
        .map((part) => text(part, name))
        .join(text(operands[0], name));
    case "Fn::Select":
      return selectFrom(list(operands[1], name), Number(operands[0]));
    case "Fn::Split":
      return text(operands[1], name).split(text(operands[0], name));
    case "Fn::GetStackOutput": {
      const output = operands[0];
      if (!isObject(output)) throw new TemplateError("Fn::GetStackOutput needs a stack and an output");
      return scope.stackOutput(text(output.StackName, name), text(output.OutputName, name));
    }
    case "Fn::Equals":
      return String(operands[0]) === String(operands[1]);
    case "Fn::Not":
      return operands[0] !== true;
    case "Fn::And":
      return operands.every((operand) => operand === true);
    case "Fn::Or":
      return operands.some((operand) => operand === true);
  }
  throw new TemplateError(`the intrinsic ${name} is not known to the local target`);
}

function resolveIf(argument: unknown, scope: Scope): unknown {
  const [condition, whenTrue, whenFalse] = list(argument, "Fn::If");
  return resolve(scope.condition(text(condition, "Fn::If")) ? whenTrue : whenFalse, scope);
}

function selectFrom(items: unknown[], index: number): unknown {
  if (!(index in items)) throw new TemplateError(`Fn::Select finds no element ${index} of ${items.length}`);
  return items[index];
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function text(value: unknown, intrinsic: string): string {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  throw new TemplateError(`${intrinsic} needs a string and got ${JSON.stringify(value) ?? String(value)}`);
}

function list(value: unknown, intrinsic: string): unknown[] {
  if (Array.isArray(value)) return value;
  throw new TemplateError(`${intrinsic} needs a list and got ${JSON.stringify(value) ?? String(value)}`);
}

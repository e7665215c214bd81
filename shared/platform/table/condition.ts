/** A plain value must equal the attribute. `undefined` means absent. */
export type Condition<Item> = AttributeTests<Item> | Combination<Item>;

type AttributeTests<Item> = {
  readonly [Name in keyof Item]?: Item[Name] | AttributeTest | undefined;
} & {
  readonly pk?: AttributeTest;
  /** An attribute within a map. */
  readonly [path: `${string}.${string}`]: unknown;
};

/** A test other than equality, from one of the functions below. */
class AttributeTest {
  readonly render: (path: string, value: (given: unknown) => string) => string;

  constructor(render: (path: string, value: (given: unknown) => string) => string) {
    this.render = render;
  }
}

class Combination<Item> {
  readonly parts: readonly Condition<Item>[];
  readonly join: (parts: readonly string[]) => string;

  constructor(parts: readonly Condition<Item>[], join: (parts: readonly string[]) => string) {
    this.parts = parts;
    this.join = join;
  }
}

export const present = new AttributeTest((path) => `attribute_exists(${path})`);
export const absent = new AttributeTest((path) => `attribute_not_exists(${path})`);
export const exists = { pk: present };
export const isNew = { pk: absent };

export const oneOf = (values: readonly (string | number)[]) =>
  new AttributeTest((path, value) => `${path} IN (${values.map(value).join(", ")})`);
const compared = (operator: string) => (limit: string | number) =>
  new AttributeTest((path, value) => `${path} ${operator} ${value(limit)}`);
export const atLeast = compared(">=");
export const atMost = compared("<=");
export const above = compared(">");
export const below = compared("<");
export const differsFrom = compared("<>");
export const fewerThan = (limit: number) =>
  new AttributeTest((path, value) => `size(${path}) < ${value(limit)}`);

const joinedBy = (operator: string) => (parts: readonly string[]) =>
  parts.length === 1 ? (parts[0] ?? "") : `(${parts.join(` ${operator} `)})`;

const joinedByAnd = joinedBy("AND");
const joinedByOr = joinedBy("OR");

export const all = <Item>(...parts: readonly Condition<NoInfer<Item>>[]): Condition<Item> =>
  new Combination(parts, joinedByAnd);
export const any = <Item>(...parts: readonly Condition<NoInfer<Item>>[]): Condition<Item> =>
  new Combination(parts, joinedByOr);
export const not = <Item>(part: Condition<NoInfer<Item>>): Condition<Item> =>
  new Combination([part], ([expression]) => `NOT ${expression}`);

export interface Change<Item> {
  readonly set?: Partial<Item>;
  /** Numbers, or elements of sets, to add; a missing attribute counts as 0 or empty. */
  readonly add?: { readonly [Name in keyof Item]?: number | ReadonlySet<string> };
  /** Elements to remove from sets. */
  readonly discard?: { readonly [Name in keyof Item]?: ReadonlySet<string> };
  /** Sets an attribute to the value that another one had before. */
  readonly copy?: { readonly [Name in keyof Item]?: keyof Item & string };
  /** Numbers to add to attributes that exist: the write fails if the item lacks one. */
  readonly increase?: { readonly [Name in keyof Item]?: number } & {
    /** A number within maps and lists, as `cells.day[0].amount`. */
    readonly [path: `${string}.${string}`]: number;
  };
  readonly remove?: readonly (keyof Item & string)[];
}

export function toConditionExpression<Item>(condition: Condition<Item> | undefined) {
  const placeholders = new Placeholders();
  const ConditionExpression = condition && toCondition(condition, placeholders);
  return { ConditionExpression, ...placeholders.compile() };
}

export function toUpdateExpression<Item>(
  { set = {}, add = {}, discard = {}, copy = {}, increase = {}, remove = [] }: Change<Item>,
  condition: Condition<Item> | undefined,
) {
  const placeholders = new Placeholders();
  const path = (name: string) => placeholders.path(name);
  const value = (given: unknown) => placeholders.value(given);
  const clauses = {
    SET: [
      ...Object.entries(set).map(([name, to]) => `${path(name)} = ${value(to)}`),
      ...Object.entries(copy).map(([name, from]) => `${path(name)} = ${path(from as string)}`),
      ...Object.entries(increase).map(([name, by]) => `${path(name)} = ${path(name)} + ${value(by)}`),
    ],
    ADD: Object.entries(add).map(([name, by]) => `${path(name)} ${value(by)}`),
    DELETE: Object.entries(discard).map(([name, elements]) => `${path(name)} ${value(elements)}`),
    REMOVE: remove.map(path),
  };
  const UpdateExpression = Object.entries(clauses)
    .filter(([, parts]) => parts.length > 0)
    .map(([clause, parts]) => `${clause} ${parts.join(", ")}`)
    .join(" ");
  const ConditionExpression = condition && toCondition(condition, placeholders);
  return {
    UpdateExpression: UpdateExpression || undefined,
    ConditionExpression,
    ...placeholders.compile(),
  };
}

function toCondition<Item>(condition: Condition<Item>, placeholders: Placeholders): string {
  if (condition instanceof Combination) {
    return condition.join(condition.parts.map((part) => toCondition(part, placeholders)));
  }
  const tests = Object.entries(condition).map(([name, wanted]) => {
    const test = wanted === undefined ? absent : wanted;
    const path = placeholders.path(name);
    return test instanceof AttributeTest
      ? test.render(path, (given) => placeholders.value(given))
      : `${path} = ${placeholders.value(test)}`;
  });
  return joinedByAnd(tests);
}

class Placeholders {
  #names: Record<string, string> | undefined;
  #values: Record<string, unknown> | undefined;
  #valueCount = 0;

  /** Every name is a placeholder, since DynamoDB reserves many words. */
  path(name: string): string {
    if (!name.includes(".")) return this.#name(name);
    return name
      .split(".")
      .map((part) => this.#element(part))
      .join(".");
  }

  /** A place in a list is no part of a name. */
  #element(part: string): string {
    const [name = "", ...places] = part.split("[");
    return [this.#name(name), ...places].join("[");
  }

  #name(name: string): string {
    const placeholder = `#${name}`;
    this.#names ??= {};
    this.#names[placeholder] = name;
    return placeholder;
  }

  value(given: unknown): string {
    const placeholder = `:v${this.#valueCount++}`;
    this.#values ??= {};
    this.#values[placeholder] = given;
    return placeholder;
  }

  /** DynamoDB rejects an empty map. */
  compile() {
    return {
      ...(this.#names && { ExpressionAttributeNames: this.#names }),
      ...(this.#values && { ExpressionAttributeValues: this.#values }),
    };
  }
}

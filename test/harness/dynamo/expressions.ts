import {
  type Attribute,
  type Attributes,
  addNumbers,
  areEqual,
  compareValues,
  copied,
  copiedValue,
  countOf,
  typeOf,
} from "./attributes.ts";
import { invalid } from "./engine-error.ts";

/** What placeholders stand for. */
export interface Placeholders {
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
  readonly ExpressionAttributeValues?: Readonly<Attributes>;
}

export type Test = (item: Attributes, given: Placeholders) => boolean;
type Operand = (item: Attributes, given: Placeholders) => Attribute | undefined;
/** Names, and places in lists. */
type Path = readonly (string | number)[];

/** An expression, with the placeholders that it names. */
export interface Parsed<Use> {
  readonly use: Use;
  readonly placeholders: ReadonlySet<string>;
}

const token = /\s*(?:(<=|>=|<>|[=<>(),+\-.[\]])|([#:][\w-]+)|([A-Za-z_]\w*)|(\d+))/y;

class Tokens {
  readonly placeholders = new Set<string>();
  readonly #tokens: string[] = [];
  readonly #kind: string;
  #at = 0;

  constructor(text: string, kind: string) {
    this.#kind = kind;
    token.lastIndex = 0;
    const whole = text.trimEnd();
    while (token.lastIndex < whole.length) {
      const at = token.lastIndex;
      const found = token.exec(whole);
      if (!found) throw this.error(whole.slice(at));
      const word = found[0].trim();
      if (/^[#:]/.test(word)) this.placeholders.add(word);
      this.#tokens.push(word);
    }
  }

  error(near = this.peek()): Error {
    return invalid(`Invalid ${this.#kind}: Syntax error; token: "${near ?? "<EOF>"}"`);
  }

  get isAtEnd(): boolean {
    return this.#at === this.#tokens.length;
  }

  peek(ahead = 0): string | undefined {
    return this.#tokens[this.#at + ahead];
  }

  next(): string {
    const word = this.peek();
    if (word === undefined) throw this.error();
    this.#at += 1;
    return word;
  }

  /** Whether it was the next one, which is taken then. Words may be in any case. */
  take(word: string): boolean {
    const isNext = this.peek()?.toUpperCase() === word;
    if (isNext) this.#at += 1;
    return isNext;
  }

  expect(word: string): void {
    if (!this.take(word)) throw this.error();
  }

  /** One or more, between commas. */
  list<T>(read: () => T): T[] {
    const all = [read()];
    while (this.take(",")) all.push(read());
    return all;
  }

  /** The arguments of a function. */
  within<T>(read: () => T): T {
    this.expect("(");
    const result = read();
    this.expect(")");
    return result;
  }
}

/** Texts are few, and each is parsed once. */
function parser<Use>(kind: string, read: (tokens: Tokens) => Use): (text: string) => Parsed<Use> {
  const known = new Map<string, Parsed<Use>>();
  return (text) => {
    const before = known.get(text);
    if (before) return before;
    const tokens = new Tokens(text, kind);
    const use = read(tokens);
    if (!tokens.isAtEnd) throw tokens.error();
    const parsed = { use, placeholders: tokens.placeholders };
    known.set(text, parsed);
    return parsed;
  };
}

export const parseCondition = parser("ConditionExpression", readAny);
export const parseUpdate = parser("UpdateExpression", readUpdate);
export const parseProjection = parser("ProjectionExpression", (tokens) => {
  const paths = tokens.list(() => readPath(tokens));
  return (item: Attributes, given: Placeholders): Attributes => {
    const kept: Attributes = {};
    for (const path of paths) {
      const resolved = resolve(path, given);
      const value = valueAt(item, resolved);
      if (resolved.length > 1) throw invalid("Only whole attributes are projected here.");
      if (value) kept[String(resolved[0])] = copiedValue(value);
    }
    return kept;
  };
});

function readAny(tokens: Tokens): Test {
  const parts = [readAll(tokens)];
  while (tokens.take("OR")) parts.push(readAll(tokens));
  return parts.length === 1 ? (parts[0] as Test) : (item, given) => parts.some((part) => part(item, given));
}

function readAll(tokens: Tokens): Test {
  const parts = [readOne(tokens)];
  while (tokens.take("AND")) parts.push(readOne(tokens));
  return parts.length === 1 ? (parts[0] as Test) : (item, given) => parts.every((part) => part(item, given));
}

function readOne(tokens: Tokens): Test {
  if (tokens.take("NOT")) {
    const test = readOne(tokens);
    return (item, given) => !test(item, given);
  }
  if (tokens.peek() === "(") return tokens.within(() => readAny(tokens));
  if (tokens.peek(1) === "(" && tokens.peek() !== "size") return readFunction(tokens);
  return readComparison(tokens);
}

function readFunction(tokens: Tokens): Test {
  const name = tokens.next();
  return tokens.within((): Test => {
    switch (name) {
      case "attribute_exists": {
        const value = readOperand(tokens);
        return (item, given) => value(item, given) !== undefined;
      }
      case "attribute_not_exists": {
        const value = readOperand(tokens);
        return (item, given) => value(item, given) === undefined;
      }
      case "begins_with":
        return readPair(tokens, (value, start) => value.S?.startsWith(start.S ?? "\u0000") ?? false);
      case "contains":
        return readPair(tokens, contains);
      case "attribute_type":
        return readPair(tokens, (value, type) => typeOf(value) === type.S);
      default:
        throw invalid(`Invalid ConditionExpression: Invalid function name; function: ${name}`);
    }
  });
}

function readPair(tokens: Tokens, test: (left: Attribute, right: Attribute) => boolean): Test {
  const left = readOperand(tokens);
  tokens.expect(",");
  const right = readOperand(tokens);
  return (item, given) => {
    const [one, other] = [left(item, given), right(item, given)];
    return one !== undefined && other !== undefined && test(one, other);
  };
}

function contains(value: Attribute, part: Attribute): boolean {
  if (value.S !== undefined) return value.S.includes(part.S ?? "\u0000");
  if (value.L) return value.L.some((one) => areEqual(one, part));
  if (value.SS) return part.S !== undefined && value.SS.includes(part.S);
  return value.NS !== undefined && part.N !== undefined && value.NS.includes(part.N);
}

const orders: Readonly<Record<string, (order: number) => boolean>> = {
  "<": (order) => order < 0,
  "<=": (order) => order <= 0,
  ">": (order) => order > 0,
  ">=": (order) => order >= 0,
};

function readComparison(tokens: Tokens): Test {
  const left = readOperand(tokens);
  if (tokens.take("BETWEEN")) {
    const from = readOperand(tokens);
    tokens.expect("AND");
    return isBetween(left, from, readOperand(tokens));
  }
  if (tokens.take("IN")) {
    const others = tokens.within(() => tokens.list(() => readOperand(tokens)));
    return (item, given) => others.some((other) => isEqual(left(item, given), other(item, given)));
  }
  const operator = tokens.next();
  const right = readOperand(tokens);
  if (operator === "=") return (item, given) => isEqual(left(item, given), right(item, given));
  if (operator === "<>") return (item, given) => !isEqual(left(item, given), right(item, given));
  const isInOrder = orders[operator];
  if (!isInOrder) throw tokens.error(operator);
  return (item, given) => {
    const order = compared(left(item, given), right(item, given));
    return order !== undefined && isInOrder(order);
  };
}

function isBetween(value: Operand, from: Operand, to: Operand): Test {
  return (item, given) => {
    const first = compared(value(item, given), from(item, given));
    const last = compared(value(item, given), to(item, given));
    return first !== undefined && last !== undefined && first >= 0 && last <= 0;
  };
}

function compared(left: Attribute | undefined, right: Attribute | undefined): number | undefined {
  return left && right && compareValues(left, right);
}

function isEqual(left: Attribute | undefined, right: Attribute | undefined): boolean {
  return left !== undefined && right !== undefined && areEqual(left, right);
}

function readOperand(tokens: Tokens): Operand {
  const word = tokens.peek() ?? "";
  if (word.startsWith(":")) {
    tokens.next();
    return (_, given) => valueGiven(word, given);
  }
  if (word === "size" && tokens.peek(1) === "(") {
    tokens.next();
    const sized = tokens.within(() => readOperand(tokens));
    return (item, given) => {
      const value = sized(item, given);
      const count = value && countOf(value);
      return count === undefined ? undefined : { N: String(count) };
    };
  }
  const path = readPath(tokens);
  return (item, given) => valueAt(item, resolve(path, given));
}

function readPath(tokens: Tokens): Path {
  const path: (string | number)[] = [readName(tokens)];
  for (;;) {
    if (tokens.take(".")) path.push(readName(tokens));
    else if (tokens.take("[")) {
      path.push(Number(tokens.next()));
      tokens.expect("]");
    } else return path;
  }
}

function readName(tokens: Tokens): string {
  const name = tokens.next();
  if (!/^[#A-Za-z_]/.test(name)) throw tokens.error(name);
  return name;
}

function valueGiven(placeholder: string, { ExpressionAttributeValues: values }: Placeholders): Attribute {
  const value = values?.[placeholder];
  if (value) return value;
  throw invalid(`An expression attribute value used in expression is not defined; value: ${placeholder}`);
}

function resolve(path: Path, { ExpressionAttributeNames: names }: Placeholders): Path {
  return path.map((part) => {
    if (typeof part === "number" || !part.startsWith("#")) return part;
    const name = names?.[part];
    if (name !== undefined) return name;
    throw invalid(`An expression attribute name used in the document path is not defined; name: ${part}`);
  });
}

function valueAt(item: Attributes, [first, ...rest]: Path): Attribute | undefined {
  let value: Attribute | undefined = Object.hasOwn(item, String(first)) ? item[String(first)] : undefined;
  for (const part of rest) {
    if (typeof part === "number") value = value?.L?.[part];
    else value = value?.M && Object.hasOwn(value.M, part) ? value.M[part] : undefined;
  }
  return value;
}

export interface Update {
  /** @throws EngineError for an update that no item could have */
  require(given: Placeholders): void;
  apply(before: Attributes, given: Placeholders): Attributes;
}

/** Changes the item. What it reads of it is as it was before. */
type Action = (item: Attributes, before: Attributes, given: Placeholders) => void;

function readUpdate(tokens: Tokens): Update {
  const targets: Path[] = [];
  const target = () => {
    const path = readPath(tokens);
    targets.push(path);
    return path;
  };
  const readers: Readonly<Record<string, () => Action>> = {
    SET: () => readSet(tokens, target()),
    REMOVE: () => {
      const path = target();
      return (item, _, given) => remove(item, resolve(path, given));
    },
    ADD: () => readChange(tokens, target(), added),
    DELETE: () => readChange(tokens, target(), discarded),
  };
  const clauses = new Map<string, Action[]>();
  do {
    const clause = tokens.next().toUpperCase();
    const read = readers[clause];
    if (!read || clauses.has(clause)) throw tokens.error(clause);
    clauses.set(clause, tokens.list(read));
  } while (!tokens.isAtEnd);
  const actions = Object.keys(readers).flatMap((clause) => clauses.get(clause) ?? []);
  return {
    require: (given) => refuseOverlaps(targets.map((path) => resolve(path, given))),
    apply: (before, given) => {
      const item = copied(before);
      for (const act of actions) act(item, before, given);
      return item;
    },
  };
}

function refuseOverlaps(paths: readonly Path[]): void {
  const texts = paths.map((path) => `${JSON.stringify(path).slice(0, -1)},`);
  const isWithin = (text: string, at: number) =>
    texts.some((other, index) => index !== at && text.startsWith(other));
  if (texts.some(isWithin))
    throw invalid("Invalid UpdateExpression: Two document paths overlap with each other");
}

const noAttribute = "The provided expression refers to an attribute that does not exist in the item";
const wrongType = "An operand in the update expression has an incorrect data type";
const wrongPath = "The document path provided in the update expression is invalid for update";

function readSet(tokens: Tokens, path: Path): Action {
  tokens.expect("=");
  const left = readSetOperand(tokens);
  const sign = tokens.take("+") ? 1n : tokens.take("-") ? -1n : undefined;
  const right = sign && readSetOperand(tokens);
  return (item, before, given) => {
    const value = left(before, given);
    const sum = right ? addedNumbers(value, right(before, given), sign) : copiedValue(value);
    set(item, resolve(path, given), sum);
  };
}

type Required = (item: Attributes, given: Placeholders) => Attribute;

function addedNumbers(left: Attribute, right: Attribute, sign: 1n | -1n | undefined): Attribute {
  if (left.N === undefined || right.N === undefined) throw invalid(wrongType);
  return { N: addNumbers(left.N, right.N, sign) };
}

function readSetOperand(tokens: Tokens): Required {
  if (tokens.peek(1) !== "(") {
    const operand = readOperand(tokens);
    return (item, given) => {
      const value = operand(item, given);
      if (!value) throw invalid(noAttribute);
      return value;
    };
  }
  const name = tokens.next();
  return tokens.within((): Required => {
    if (name === "if_not_exists") {
      const path = readPath(tokens);
      tokens.expect(",");
      const other = readSetOperand(tokens);
      return (item, given) => valueAt(item, resolve(path, given)) ?? other(item, given);
    }
    if (name !== "list_append") throw tokens.error(name);
    const first = readSetOperand(tokens);
    tokens.expect(",");
    const last = readSetOperand(tokens);
    return (item, given) => {
      const [one, other] = [first(item, given).L, last(item, given).L];
      if (!one || !other) throw invalid(wrongType);
      return { L: [...one, ...other] };
    };
  });
}

type Changed = (value: Attribute | undefined, by: Attribute) => Attribute | undefined;

function readChange(tokens: Tokens, path: Path, changed: Changed): Action {
  const placeholder = tokens.next();
  if (!placeholder.startsWith(":")) throw tokens.error(placeholder);
  return (item, before, given) => {
    const resolved = resolve(path, given);
    const value = changed(valueAt(before, resolved), valueGiven(placeholder, given));
    if (value) set(item, resolved, value);
    else remove(item, resolved);
  };
}

const setTypes = ["SS", "NS", "BS"] as const;

function added(value: Attribute | undefined, by: Attribute): Attribute {
  const type = setTypes.find((one) => by[one]);
  if (type === undefined && by.N === undefined) throw invalid(wrongType);
  if (!value) return copiedValue(by);
  if (type === undefined) return addedNumbers(value, by, 1n);
  const elements = value[type];
  if (!elements) throw invalid(wrongType);
  return { [type]: [...new Set([...elements, ...(by[type] ?? [])])] };
}

function discarded(value: Attribute | undefined, by: Attribute): Attribute | undefined {
  const type = setTypes.find((one) => by[one]);
  if (type === undefined) throw invalid(wrongType);
  if (!value) return undefined;
  if (!value[type]) throw invalid(wrongType);
  const left = value[type].filter((one) => !by[type]?.includes(one));
  return left.length > 0 ? { [type]: left } : undefined;
}

/** What holds the last part of a path; undefined where there is none. */
function holderOf(item: Attributes, path: Path): Attribute | undefined {
  return path.length === 1 ? { M: item } : valueAt(item, path.slice(0, -1));
}

function set(item: Attributes, path: Path, value: Attribute): void {
  const holder = holderOf(item, path);
  const last = path.at(-1);
  if (typeof last === "string" && holder?.M) holder.M[last] = value;
  else if (typeof last === "number" && holder?.L) holder.L[Math.min(last, holder.L.length)] = value;
  else throw invalid(wrongPath);
}

function remove(item: Attributes, path: Path): void {
  const holder = holderOf(item, path);
  const last = path.at(-1);
  if (typeof last === "string" && holder?.M) delete holder.M[last];
  else if (typeof last === "number" && holder?.L) holder.L.splice(last, 1);
  else throw invalid(wrongPath);
}

/** An attribute's value as in DynamoDB's JSON: bytes are in base64. */
export interface Attribute {
  S?: string;
  N?: string;
  B?: string;
  BOOL?: boolean;
  NULL?: boolean;
  L?: Attribute[];
  M?: Record<string, Attribute>;
  SS?: string[];
  NS?: string[];
  BS?: string[];
}

export type Attributes = Record<string, Attribute>;

type Type = keyof Attribute;

export function typeOf(value: Attribute): Type {
  for (const type in value) return type as Type;
  throw new Error("A value has a type.");
}

const withBytes = new WeakMap<Attributes, boolean>();

/** A stored item for a caller, who converts bytes in place: one that has some is copied. */
export function shown(item: Attributes): Attributes {
  let has = withBytes.get(item);
  if (has === undefined) {
    has = holdBytes(Object.values(item));
    withBytes.set(item, has);
  }
  return has ? copied(item) : item;
}

function holdBytes(values: readonly Attribute[]): boolean {
  return values.some(
    ({ B, BS, L, M }) =>
      B !== undefined || BS !== undefined || (L && holdBytes(L)) || (M && holdBytes(Object.values(M))),
  );
}

export function copied(item: Attributes): Attributes {
  const copy: Attributes = {};
  for (const name in item) copy[name] = copiedValue(item[name] as Attribute);
  return copy;
}

export function copiedValue(value: Attribute): Attribute {
  if (value.M !== undefined) return { M: copied(value.M) };
  if (value.L !== undefined) return { L: value.L.map(copiedValue) };
  const type = typeOf(value);
  const inner = value[type];
  return { [type]: Array.isArray(inner) ? [...inner] : inner };
}

/** Negative, 0 or positive; undefined where values have no order. */
export function compareValues(left: Attribute, right: Attribute): number | undefined {
  if (left.S !== undefined && right.S !== undefined) return compareTexts(left.S, right.S);
  if (left.N !== undefined && right.N !== undefined) return compareNumbers(left.N, right.N);
  if (left.B !== undefined && right.B !== undefined) return Buffer.compare(bytes(left.B), bytes(right.B));
  return undefined;
}

/** By their bytes. Keys are ASCII: for those it is the order of UTF-16 too. */
export function compareTexts(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

export function areEqual(left: Attribute, right: Attribute): boolean {
  const type = typeOf(left);
  if (type !== typeOf(right)) return false;
  switch (type) {
    case "N":
      return compareNumbers(String(left.N), String(right.N)) === 0;
    case "L":
      return haveEqual(left.L ?? [], right.L ?? []);
    case "M":
      return areEqualItems(left.M ?? {}, right.M ?? {});
    case "SS":
    case "NS":
    case "BS":
      return JSON.stringify(left[type]?.toSorted()) === JSON.stringify(right[type]?.toSorted());
    default:
      return left[type] === right[type];
  }
}

function haveEqual(left: readonly Attribute[], right: readonly Attribute[]): boolean {
  return left.length === right.length && left.every((one, at) => areEqual(one, right[at] as Attribute));
}

export function areEqualItems(left: Attributes, right: Attributes): boolean {
  const names = Object.keys(left);
  return (
    names.length === Object.keys(right).length &&
    names.every((name) => right[name] !== undefined && areEqual(left[name] as Attribute, right[name]))
  );
}

/** `digits` times ten to the power of `-scale`. */
interface Decimal {
  readonly digits: bigint;
  readonly scale: number;
}

function toDecimal(text: string): Decimal {
  const [, sign, whole = "", part = "", exponent = "0"] =
    /^([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  if (whole + part === "") throw new InvalidNumber(text);
  const scale = part.length - Number(exponent);
  const digits = BigInt(`${sign}${whole}${part}`);
  return scale < 0 ? { digits: digits * 10n ** BigInt(-scale), scale: 0 } : { digits, scale };
}

export class InvalidNumber extends Error {
  constructor(text: string) {
    super(`The parameter cannot be converted to a numeric value: ${text}`);
  }
}

const isSmall = (text: string) => /^-?\d{1,15}$/.test(text);

function aligned(left: string, right: string): { left: bigint; right: bigint; scale: number } {
  const [one, other] = [toDecimal(left), toDecimal(right)];
  const scale = Math.max(one.scale, other.scale);
  const scaled = ({ digits, scale: own }: Decimal) => digits * 10n ** BigInt(scale - own);
  return { left: scaled(one), right: scaled(other), scale };
}

export function compareNumbers(left: string, right: string): number {
  if (isSmall(left) && isSmall(right)) return Number(left) - Number(right);
  const numbers = aligned(left, right);
  return numbers.left < numbers.right ? -1 : numbers.left > numbers.right ? 1 : 0;
}

export function addNumbers(left: string, right: string, sign: 1n | -1n = 1n): string {
  if (isSmall(left) && isSmall(right)) return String(Number(left) + Number(sign) * Number(right));
  const numbers = aligned(left, right);
  return fromDecimal({ digits: numbers.left + sign * numbers.right, scale: numbers.scale });
}

/** As DynamoDB returns it: without zeros around it, and without an exponent. */
export function plainNumber(text: string): string {
  return isSmall(text) ? String(Number(text)) : fromDecimal(toDecimal(text));
}

function fromDecimal({ digits, scale }: Decimal): string {
  const text = (digits < 0n ? -digits : digits).toString().padStart(scale + 1, "0");
  const whole = text.slice(0, text.length - scale);
  const part = text.slice(text.length - scale).replace(/0+$/, "");
  return `${digits < 0n ? "-" : ""}${whole}${part && `.${part}`}`;
}

const bytes = (base64: string) => Buffer.from(base64, "base64");

const sizes = new WeakMap<Attributes, number>();

/** What DynamoDB counts of an item, in bytes. It must not change after that. */
export function sizeOfItem(item: Attributes): number {
  const known = sizes.get(item);
  if (known !== undefined) return known;
  const size = sumOfSizes(item);
  sizes.set(item, size);
  return size;
}

function sumOfSizes(item: Attributes): number {
  let size = 0;
  for (const name in item) size += Buffer.byteLength(name) + sizeOfValue(item[name] as Attribute);
  return size;
}

function sizeOfValue({ S, N, B, L, M, SS, NS, BS }: Attribute): number {
  const sum = <T>(all: readonly T[], size: (one: T) => number) =>
    all.reduce((total, one) => total + size(one), 0);
  if (S !== undefined) return Buffer.byteLength(S);
  if (N !== undefined) return sizeOfNumber(N);
  if (B !== undefined) return bytes(B).length;
  if (L) return 3 + sum(L, (one) => 1 + sizeOfValue(one));
  if (M) return 3 + Object.keys(M).length + sumOfSizes(M);
  if (SS) return sum(SS, Buffer.byteLength);
  if (NS) return sum(NS, sizeOfNumber);
  if (BS) return sum(BS, (one) => bytes(one).length);
  return 1;
}

/** Two digits take a byte, on each side of the point; zeros at both ends take none. */
function sizeOfNumber(text: string): number {
  const [whole = "", part = ""] = plainNumber(text).replace("-", "").split(".");
  const isFraction = /^0*$/.test(whole);
  const digits = part === "" ? whole.replace(/0+$/, "") : isFraction ? "" : whole;
  const rest = isFraction ? part.replace(/^0+/, "") : part;
  const sign = plainNumber(text).startsWith("-") ? 1 : 0;
  return Math.ceil(digits.replace(/^0+/, "").length / 2) + Math.ceil(rest.length / 2) + 1 + sign;
}

/** How many elements or characters a value has; undefined where `size` says nothing of its type. */
export function countOf({ S, B, L, M, SS, NS, BS }: Attribute): number | undefined {
  if (S !== undefined) return S.length;
  if (B !== undefined) return bytes(B).length;
  if (M) return Object.keys(M).length;
  return (L ?? SS ?? NS ?? BS)?.length;
}

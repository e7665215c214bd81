/** What Python and Go read otherwise, or not at all. UTF-8 has no lone surrogates, `Cs`. */
const members: Readonly<Record<string, string>> = {
  "\\d": "0-9",
  "\\w": "A-Za-z0-9_",
  "\\p{Cc}": "\\x00-\\x1f\\x7f-\\x9f",
  "\\p{Cs}": "",
};
const set = /\[(?:\\.|[^\]\\])*\]|\\[dw]/g;
const member = /\\[dw]|\\p\{C[cs]\}/g;

const escaped = String.raw`\\(?:[nrt]|x[0-9a-f]{2}|[!-\/:-@\[-\^\{-~])`;
/** Without what some engines take for operations on sets: `[`, `&&`, `--`, `||`, `~~`. */
const characters = String.raw`\[\^?(?:${escaped}|(?!&&|--|\|\||~~)[^\\\[\]])+\]`;
const one = String.raw`${characters}|${escaped}|[^\\^$.|?*+()\[\]\{\}]`;
const times = String.raw`[?*+]|\{\d{1,3}(?:,\d{0,3})?\}`;
const token = new RegExp(String.raw`(?<one>${one})|(?<times>${times})|(?<open>\((?:\?:)?)|[\^$|\)]`, "g");

const sequence = String.raw`(?:[\^$]|a\*?)*`;
const alternatives = String.raw`${sequence}(?:\|${sequence})*`;
const group = new RegExp(String.raw`\(${alternatives}\)`, "g");
const whole = new RegExp(`^${alternatives}$`);

/**
 * The pattern in the syntax that means the same in JavaScript, Python and Go (RE2), or undefined
 * if it has another. One difference stays: Python's `$` also matches before a final line break.
 */
export function portablePattern(pattern: string): string | undefined {
  const plain = pattern.replace(set, (part) => {
    const inside = part.replace(member, (name) => members[name] ?? name);
    return part.startsWith("[") ? inside : `[${inside}]`;
  });
  return isPortable(plain) ? plain : undefined;
}

/** Reads tokens, and then groups from the inside out. */
export function isPortable(pattern: string): boolean {
  if (/[^\0-\uFFFF]|\p{Cs}/u.test(pattern)) return false;
  const unknown = pattern.replace(token, "");
  if (unknown !== "") return false;
  let rest = pattern.replace(token, (text, ...groups) => {
    const { one, times, open } = groups.at(-1) as Readonly<Record<string, string | undefined>>;
    if (one !== undefined) return "a";
    if (times !== undefined) return "*";
    return open === undefined ? text : "(";
  });
  for (let before = ""; before !== rest; ) {
    before = rest;
    rest = rest.replace(group, "a");
  }
  return whole.test(rest);
}

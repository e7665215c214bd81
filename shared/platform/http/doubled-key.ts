/**
 * The place of a key that an object has twice, in a text that is JSON: readers differ in which one
 * counts (RFC 8259, 4). Undefined if there is none.
 */
export function findDoubledKey(json: string): string | undefined {
  // An array's place is its index, an object's the present key.
  const open: { readonly keys?: Set<string>; place: number | string }[] = [];
  let text = "";
  let begin: number | undefined;
  for (const found of json.matchAll(/\\.|["{}[\],:]/g)) {
    const [token] = found;
    const inner = open.at(-1);
    if (token === '"') {
      if (begin !== undefined) text = json.slice(begin, found.index + 1);
      begin = begin === undefined ? found.index : undefined;
    } else if (begin !== undefined) continue;
    else if (token === "{") open.push({ keys: new Set(), place: "" });
    else if (token === "[") open.push({ place: 0 });
    else if (token === "}" || token === "]") open.pop();
    else if (token === ":" && inner?.keys) {
      const key: string = JSON.parse(text);
      inner.place = key;
      if (inner.keys.has(key)) return open.map(({ place }) => place).join(".");
      inner.keys.add(key);
    } else if (typeof inner?.place === "number") inner.place += 1;
  }
  return undefined;
}

/**
 * What the local target knows of a template. `true`: it runs what the property says. A sentence: it knowingly passes
 * the property over, for that reason. A table: the same for the properties inside. Anything not here is an error at start.
 */
export type Known = true | string | { [property: string]: Known };

/** The faults of a resource's properties against the table: one line for each property that is not known. */
export function unknownProperties(properties: Record<string, unknown>, known: Known, path = ""): string[] {
  if (known === true || typeof known === "string") return [];
  return Object.entries(properties).flatMap(([name, value]) => {
    const here = path === "" ? name : `${path}.${name}`;
    const rule = Object.hasOwn(known, name) ? known[name] : undefined;
    if (rule === undefined) return [here];
    const children = Array.isArray(value) ? value : [value];
    return children.flatMap((child) =>
      typeof child === "object" && child !== null ? unknownProperties(child, rule, here) : [],
    );
  });
}

type Json = Record<string, unknown>;

/**
 * Refuses what no schema names. The API itself ignores unknown fields of a body, but a model that
 * misspells one would take the answer for what it asked.
 */
export function withoutOthers<S extends Json>(schema: S): S {
  return JSON.parse(JSON.stringify(schema), (_, member) =>
    isObject(member) && isObject(member.properties) && member.additionalProperties === undefined
      ? { ...member, additionalProperties: false }
      : member,
  );
}

/** A sentence for each argument that the schema does not name, at any depth. */
export function unknownArguments(schema: Json, given: unknown): string[] {
  const { $defs } = schema;
  const find = (part: unknown, value: unknown, place: string): string[] => {
    const found = resolved(part, $defs);
    if (!found) return [];
    if (Array.isArray(value))
      return value.flatMap((item, index) => find(found.items, item, `${place}[${index}]`));
    if (!isObject(value) || !isObject(found.properties) || isObject(found.additionalProperties)) return [];
    const { properties } = found;
    return Object.entries(value).flatMap(([name, member]) => {
      const at = place === "" ? name : `${place}.${name}`;
      if (Object.hasOwn(properties, name)) return find(properties[name], member, at);
      const names = Object.keys(properties).toSorted().join(", ");
      return [`${at}: is not an argument here; there ${names === "" ? "are none" : `are ${names}`}`];
    });
  };
  return find(schema, given, "");
}

const prefix = "#/$defs/";

function resolved(part: unknown, $defs: unknown): Json | undefined {
  if (!isObject(part)) return undefined;
  const { $ref } = part;
  if (typeof $ref !== "string" || !isObject($defs)) return part;
  const { [$ref.slice(prefix.length)]: named } = $defs;
  return isObject(named) ? named : undefined;
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

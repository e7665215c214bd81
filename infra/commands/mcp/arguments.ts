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
export function unknownArguments(schema: unknown, given: unknown, place = ""): string[] {
  if (!isObject(schema)) return [];
  if (Array.isArray(given))
    return given.flatMap((item, index) => unknownArguments(schema.items, item, `${place}[${index}]`));
  const { properties, additionalProperties } = schema;
  if (!isObject(given) || !isObject(properties) || isObject(additionalProperties)) return [];
  return Object.entries(given).flatMap(([name, member]) => {
    const at = place === "" ? name : `${place}.${name}`;
    if (Object.hasOwn(properties, name)) return unknownArguments(properties[name], member, at);
    const names = Object.keys(properties).toSorted().join(", ");
    return [`${at}: is not an argument here; there ${names === "" ? "are none" : `are ${names}`}`];
  });
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

import { searchKey } from "../lists/search-key.ts";
import type { Sought } from "../lists/sought.ts";

/** The beginning of a last name, or of the whole name, which begins with the first. */
export function soughtPerson(name: string | undefined): Sought[] {
  if (name === undefined) return [];
  const prefix = searchKey(name);
  return [["soughtLastName", "soughtName"].map((attribute) => ({ attribute, prefix }))];
}

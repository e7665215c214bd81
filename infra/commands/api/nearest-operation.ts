import { distance } from "fastest-levenshtein";
import type { Route } from "../../../shared/contract/route.ts";
import { routes } from "../../../shared/contract/routes.ts";

/** What differs in more letters, or in a greater share of them, means something else. */
const farthest = 6;
const greatestShare = 0.4;
/** What a word costs where the operation has an id: more than a misspelt letter. */
const noId = 2;
const otherMethod = 1;
const id = /^(?:[a-z]{3}_|\d)/;

/**
 * What to say where no operation of the contract has the path, with the nearest one. Undefined
 * where one has it: then its record is missing.
 */
export function describeUnknown(method: string, given: string): string | undefined {
  const [path = ""] = given.split(/[?#]/);
  const parts = path
    .replace(/^\/v2(?=\/)|(?<=.)\/$/g, "")
    .split("/")
    .slice(1);
  const known = routes.filter((route) => toParts(route).length === parts.length);
  const letters = new Map(known.map((route) => [route, countLetters(route, method, parts)]));
  const [nearest] = known.toSorted((one, other) => Number(letters.get(one)) - Number(letters.get(other)));
  const isExact = nearest?.method === method && hasWords(nearest, parts);
  if (isExact && path === `/${parts.join("/")}`) return undefined;
  const said = `There is no operation ${method} ${path}.`;
  const most = Math.min(farthest, greatestShare * path.length);
  if (nearest === undefined || Number(letters.get(nearest)) > most) return said;
  return `${said} Did you mean ${nearest.method} ${toPlace(nearest)}?`;
}

const toPlace = ({ api, path }: Route) => (api === "sandbox" ? `/sandbox${path}` : path);
const toParts = (route: Route) => toPlace(route).split("/").slice(1);
const isParameter = (part: string) => part.startsWith("{");

function hasWords(route: Route, parts: readonly string[]): boolean {
  return toParts(route).every((own, index) => isParameter(own) || own === parts[index]);
}

function countLetters(route: Route, method: string, parts: readonly string[]): number {
  const ofParts = toParts(route).map((own, index) => {
    const part = parts[index] ?? "";
    if (!isParameter(own)) return distance(own, part);
    const schema = route.parameters?.[own.slice(1, -1)];
    return (schema === undefined ? id.test(part) : schema.safeParse(part).success) ? 0 : noId;
  });
  const others = route.method === method ? 0 : otherMethod;
  return ofParts.reduce((sum, one) => sum + one, others);
}

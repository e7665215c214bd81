import { readFileSync } from "node:fs";
import type { Route } from "../../../shared/contract/route.ts";
import { routes } from "../../../shared/contract/routes.ts";
import { person } from "../../harness/person.ts";
import { readTable } from "../../harness/rules-table.ts";
import type { Json } from "./schemas.ts";

/** A request of the folder: what it keeps of its answer, and what it expects there. */
interface Step {
  readonly name: string;
  readonly method: string;
  /** Ids that were kept stand in double braces. */
  readonly path: string;
  readonly body: Json | undefined;
  /** Where in the answer, and the value there. */
  readonly expects: Json;
  readonly keeps: readonly string[];
}

const [{ rows = [] } = {}] = readTable(readFileSync(new URL("first-purchase.txt", import.meta.url), "utf8"));
const steps = rows.map(([name = "", call = "", body = "", expects = "{}", ...keeps]): Step => {
  const [method = "", path = ""] = call.split(" ");
  const sent = body === "PERSON" ? person : body && JSON.parse(body);
  return { name, method, path: path.slice(1), body: sent || undefined, expects: JSON.parse(expects), keeps };
});

function isKeyed({ method, path }: Step): boolean {
  const place = `/${path}`.replaceAll(/\{(\{\w+\})\}/g, "$1");
  const placeOf = (route: Route) => `${route.api === "sandbox" ? "/sandbox" : ""}${route.path}`;
  const route = routes.find((one) => one.method === method && placeOf(one) === place);
  return route?.movesFunds === true || route?.creates !== undefined;
}

/** A folder to run from top to bottom, as often as one likes: all that it uses is its own. */
export function firstPurchase(): Json {
  return {
    name: "First purchase",
    description:
      "Run the folder: it makes a Wallet, a Cardholder and a Card, buys something, checks answers and books, and closes the Card.",
    item: steps.map(toItem),
  };
}

/** What the folder keeps: it needs no value before the first run. */
export const keptVariables: readonly string[] = steps.flatMap(({ keeps }) => keeps);

function toItem(step: Step): Json {
  const { name, method, path, body, keeps, expects } = step;
  const at = (place: string) =>
    `${JSON.stringify(place)}.split(".").reduce((value, key) => value[key], answer)`;
  const wanted = (value: unknown) =>
    typeof value === "string" && value.startsWith("{{")
      ? `pm.collectionVariables.get(${JSON.stringify(value.slice(2, -2))})`
      : JSON.stringify(value);
  const exec = [
    "const answer = pm.response.json();",
    `pm.test(${JSON.stringify(name)}, () => {`,
    "  pm.expect(pm.response.code).to.equal(200);",
    ...Object.entries(expects).map(
      ([place, value]) => `  pm.expect(${at(place)}, ${JSON.stringify(place)}).to.equal(${wanted(value)});`,
    ),
    "});",
    ...keeps.map(
      (variable) => `pm.collectionVariables.set(${JSON.stringify(variable)}, ${at(`data.${variable}`)});`,
    ),
  ];
  const [place = "", search] = path.split("?");
  return {
    name,
    request: {
      method,
      header: [
        ...(body ? [{ key: "Content-Type", value: "application/json" }] : []),
        ...(isKeyed(step) ? [{ key: "Idempotency-Key", value: "{{$guid}}" }] : []),
      ],
      url: {
        raw: `https://{{host}}/v2/${path}`,
        protocol: "https",
        host: ["{{host}}"],
        path: ["v2", ...place.split("/")],
        ...(search && {
          query: search.split("&").map((pair) => {
            const [key, value] = pair.split("=");
            return { key, value };
          }),
        }),
      },
      ...(body && {
        body: { mode: "raw", raw: JSON.stringify(body, null, 2), options: { raw: { language: "json" } } },
      }),
    },
    event: [{ listen: "test", script: { type: "text/javascript", exec } }],
  };
}

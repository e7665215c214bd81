import type { Answer, Request } from "./emulated-aws.ts";
import { json } from "./json-protocol.ts";

export interface EmulatedFunction {
  published: string[];
  warm: string[];
  /** Without it, the function shares the account's. */
  reserved?: number | undefined;
  /** The version that each serves, and the next one during the steps of a deployment. */
  aliases: Record<string, { version: string; next?: string }>;
}

/** Lambda's versions, aliases and warm environments. A function not given has none. */
export class EmulatedVersions {
  readonly functions = new Map<string, EmulatedFunction>();
  /** Whether the caller may delete any. */
  isDeletable = true;
  /** By the ARN of their queue. A change takes one look at it. */
  readonly mappings = new Map<string, { isOn: boolean; isChanging: boolean }>();

  /** Undefined for a request that is not about versions. */
  answer(request: Request): Answer | undefined {
    const { method, path, query } = request;
    const mapping = /\/event-source-mappings\/?(.*)$/.exec(path)?.[1];
    if (mapping !== undefined) return this.#mapping(request, mapping);
    const [, owner = "", what, alias] =
      /\/functions\/([^/]+)\/(concurrency|provisioned-concurrency|aliases)(?:\/(.+))?$/.exec(path) ?? [];
    const isWrite = method === "PUT" || (method === "DELETE" && what === "concurrency");
    if (what !== undefined && (isWrite || alias !== undefined)) return this.#reserve(request, owner, alias);
    const match = /^\/20\d\d-\d\d-\d\d\/functions\/([^/]+)(?:\/(versions|aliases|provisioned-concurrency))?$/;
    const [, name, part] = match.exec(path) ?? [];
    if (name === undefined) return undefined;
    const found = this.functions.get(name) ?? { published: [], warm: [], aliases: {} };
    if (method === "DELETE") return this.#delete(found, part, query.get("Qualifier"));
    if (method !== "GET") return undefined;
    if (part === "versions") {
      // Two pages: a caller that reads one misses the newest.
      const [first, ...others] = ["$LATEST", ...found.published].map((Version) => ({ Version }));
      const isFirst = query.get("Marker") === null;
      return json(isFirst ? { Versions: [first], NextMarker: "next" } : { Versions: others });
    }
    if (part === "aliases") {
      const Aliases = Object.entries(found.aliases).map(([Name, { version, next }]) => ({
        ...{ Name, FunctionVersion: version },
        ...(next && { RoutingConfig: { AdditionalVersionWeights: { [next]: 0.1 } } }),
      }));
      return json({ Aliases });
    }
    if (part !== "provisioned-concurrency") return undefined;
    const arnOf = (version: string) => `arn:aws:lambda:eu-west-1:111122223333:function:${name}:${version}`;
    const ProvisionedConcurrencyConfigs = found.warm.map((one) => ({ FunctionArn: arnOf(one) }));
    return json({ ProvisionedConcurrencyConfigs });
  }

  #mapping({ method, query, body }: Request, id: string): Answer {
    const idOf = (arn: string) => arn.split(":").at(-1);
    if (id === "") {
      const EventSourceMappings = [...this.mappings.keys()]
        .filter((arn) => arn === query.get("EventSourceArn"))
        .map((arn) => ({ UUID: idOf(arn) }));
      return json({ EventSourceMappings });
    }
    const found = [...this.mappings].find(([arn]) => idOf(arn) === id)?.[1];
    if (found === undefined) return json({}, 404, "ResourceNotFoundException");
    if (method === "PUT") {
      if (found.isChanging) return json({}, 409, "ResourceInUseException");
      Object.assign(found, { isOn: JSON.parse(body.toString()).Enabled, isChanging: true });
    }
    const State = found.isChanging ? "Updating" : found.isOn ? "Enabled" : "Disabled";
    if (method === "GET") found.isChanging = false;
    return json({ UUID: id, State });
  }

  #reserve({ method, path, query, body }: Request, name: string, alias: string | undefined): Answer {
    const found = this.functions.get(name);
    if (found === undefined) return json({}, 404, "ResourceNotFoundException");
    if (alias !== undefined) return json({ FunctionVersion: found.aliases[alias]?.version });
    if (method === "DELETE") {
      found.reserved = undefined;
      return json({}, 204);
    }
    const given = JSON.parse(body.toString());
    const { reserved = Number.MAX_SAFE_INTEGER } = found;
    const isRefused = path.endsWith("provisioned-concurrency")
      ? given.ProvisionedConcurrentExecutions > reserved
      : found.warm.length > given.ReservedConcurrentExecutions;
    if (isRefused) return json({ message: "More is kept started." }, 400, "InvalidParameterValueException");
    if (path.endsWith("provisioned-concurrency")) found.warm.push(query.get("Qualifier") ?? "");
    else found.reserved = given.ReservedConcurrentExecutions;
    return json(given);
  }

  #delete(found: EmulatedFunction, part: string | undefined, qualifier: string | null): Answer {
    if (!this.isDeletable) return json({ message: "Not authorized" }, 403, "AccessDeniedException");
    const served = Object.values(found.aliases).flatMap(({ version, next }) => [version, next]);
    if (qualifier === null) throw new Error("The whole function would be deleted.");
    if (part === "provisioned-concurrency") {
      found.warm = found.warm.filter((one) => one !== qualifier);
      return json({}, 204);
    }
    if (served.includes(qualifier) || found.warm.includes(qualifier))
      return json({ message: `${qualifier} is in use.` }, 409, "ResourceConflictException");
    found.published = found.published.filter((one) => one !== qualifier);
    return json({}, 204);
  }
}

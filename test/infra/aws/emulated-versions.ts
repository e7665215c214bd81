import type { Answer, Request } from "./emulated-aws.ts";

export interface EmulatedFunction {
  published: string[];
  warm: string[];
  /** The version that each serves, and the next one during the steps of a deployment. */
  aliases: Record<string, { version: string; next?: string }>;
}

/** Lambda's versions, aliases and warm environments. A function not given has none. */
export class EmulatedVersions {
  readonly functions = new Map<string, EmulatedFunction>();
  /** Whether the caller may delete any. */
  isDeletable = true;

  /** Undefined for a request that is not about versions. */
  answer({ method, path, query }: Request): Answer | undefined {
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
      return json(200, isFirst ? { Versions: [first], NextMarker: "next" } : { Versions: others });
    }
    if (part === "aliases") {
      const Aliases = Object.entries(found.aliases).map(([Name, { version, next }]) => ({
        ...{ Name, FunctionVersion: version },
        ...(next && { RoutingConfig: { AdditionalVersionWeights: { [next]: 0.1 } } }),
      }));
      return json(200, { Aliases });
    }
    if (part !== "provisioned-concurrency") return undefined;
    const arnOf = (version: string) => `arn:aws:lambda:eu-west-1:111122223333:function:${name}:${version}`;
    const ProvisionedConcurrencyConfigs = found.warm.map((one) => ({ FunctionArn: arnOf(one) }));
    return json(200, { ProvisionedConcurrencyConfigs });
  }

  #delete(found: EmulatedFunction, part: string | undefined, qualifier: string | null): Answer {
    if (!this.isDeletable) return json(403, { message: "Not authorized" }, "AccessDeniedException");
    const served = Object.values(found.aliases).flatMap(({ version, next }) => [version, next]);
    if (qualifier === null) throw new Error("The whole function would be deleted.");
    if (part === "provisioned-concurrency") {
      found.warm = found.warm.filter((one) => one !== qualifier);
      return json(204, {});
    }
    if (served.includes(qualifier) || found.warm.includes(qualifier))
      return json(409, { message: `${qualifier} is in use.` }, "ResourceConflictException");
    found.published = found.published.filter((one) => one !== qualifier);
    return json(204, {});
  }
}

function json(status: number, body: object, errorType?: string): Answer {
  const headers = { "content-type": "application/json", ...(errorType && { "x-amzn-errortype": errorType }) };
  return { status, body: status === 204 ? "" : JSON.stringify(body), headers };
}

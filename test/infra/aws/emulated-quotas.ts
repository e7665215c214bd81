import type { Answer, Request } from "./emulated-aws.ts";
import { json } from "./json-protocol.ts";

/** An account's quotas, as Lambda and SES tell them. */
export class EmulatedQuotas {
  concurrentExecutions = 1_000;
  /** What functions have reserved of it, by their names. */
  readonly reserved = new Map<string, number>();
  hasProductionAccess = true;
  /** Identities that SES has verified; undefined for all. */
  verified: readonly string[] | undefined;
  /** Whether the caller may read them. */
  isReadable = true;

  /** Undefined for a request that is not about quotas. */
  answer({ method, path }: Request): Answer | undefined {
    const output = method === "GET" ? this.#outputOf(path) : undefined;
    if (output === undefined) return undefined;
    if (!this.isReadable) return json({ message: "Not authorized" }, 403, "AccessDeniedException");
    const notFound = path.includes("/functions/") ? "ResourceNotFoundException" : "NotFoundException";
    return output === "unknown" ? json({ message: "There is none." }, 404, notFound) : json(output);
  }

  #outputOf(path: string): object | "unknown" | undefined {
    if (path === "/2016-08-19/account-settings") {
      const { concurrentExecutions: all } = this;
      const reserved = [...this.reserved.values()].reduce((sum, count) => sum + count, 0);
      return { AccountLimit: { ConcurrentExecutions: all, UnreservedConcurrentExecutions: all - reserved } };
    }
    const name = /^\/2019-09-30\/functions\/(.+)\/concurrency$/.exec(path)?.[1];
    if (name !== undefined) {
      const ReservedConcurrentExecutions = this.reserved.get(name);
      return ReservedConcurrentExecutions === undefined ? "unknown" : { ReservedConcurrentExecutions };
    }
    if (path === "/v2/email/account") return { ProductionAccessEnabled: this.hasProductionAccess };
    const identity = /^\/v2\/email\/identities\/(.+)$/.exec(path)?.[1];
    if (identity === undefined) return undefined;
    const isVerified = this.verified?.includes(identity) ?? true;
    return isVerified ? { VerifiedForSendingStatus: true } : "unknown";
  }
}

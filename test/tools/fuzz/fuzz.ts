import { isDeepStrictEqual } from "node:util";
import { errorCatalogue } from "../../../shared/contract/errors.ts";
import { routeErrors } from "../../../shared/contract/routes.ts";
import type { Case, CaseRequest } from "../../harness/cases/case.ts";
import { contractCases } from "../../harness/cases/cases.ts";
import type { GivenProgram } from "../../harness/given-cards.ts";
import { randomFrom } from "../../harness/random.ts";
import type { Answer } from "../../harness/replay.ts";
import { hostile } from "./hostile-request.ts";
import { changedKeys, identifiersIn, itemsOf } from "./others-data.ts";

export interface FuzzOptions {
  /** Whose keys send the requests: a Program of each way of issuance, both of one Tenant. */
  readonly attackers: { readonly automatic: GivenProgram; readonly manual: GivenProgram };
  /** A Program of another Tenant, of which nothing may be seen or changed. */
  readonly victim: GivenProgram;
  readonly requests: number;
  readonly seed: number;
  /** Requests that are under way at once. */
  readonly concurrency: number;
  onProgress?(sent: number): void;
  /** Resolves when everything that was set in motion has come to rest. */
  settled?(): Promise<void>;
}

export interface FuzzResult {
  /** How many requests were answered with each status. */
  readonly statuses: ReadonlyMap<number, number>;
  /** How many endpoints were tried. */
  readonly endpoints: number;
  /** What went wrong, in words. */
  readonly faults: readonly string[];
}

/** A request is prepared anew after this many successes: its records are used up. */
const usesOfOne = 40;

/**
 * Sends valid, damaged and hostile requests with own and foreign records. Each answer must be
 * declared, leak nothing, and change nothing of the other Tenant.
 */
export async function fuzz(options: FuzzOptions): Promise<FuzzResult> {
  const { attackers, victim, requests, seed, concurrency, onProgress, settled } = options;
  const random = randomFrom(seed);
  const endpoints = contractCases().filter(({ code }) => code === "OK");
  const theirs = new Map<Case, CaseRequest>();
  const unprepared = endpoints.filter(({ manualIssuance }) => !manualIssuance);
  // At once, as the own ones are: many wait until a change is in force.
  const prepareTheirs = async () => {
    for (let one = unprepared.pop(); one; one = unprepared.pop()) theirs.set(one, await one.prepare(victim));
  };
  await Promise.all(Array.from({ length: concurrency }, prepareTheirs));
  await settled?.();
  const before = await itemsOf(victim);
  const secrets = identifiersIn(before);
  const own = new Map<Case, { request: Promise<CaseRequest>; uses: number }>();
  const faults: string[] = [];
  const statuses = new Map<number, number>();

  const ownRequest = (endpoint: Case, sender: GivenProgram) => {
    const known = own.get(endpoint);
    if (known && known.uses < usesOfOne) {
      known.uses += 1;
      return known.request;
    }
    const made = { request: endpoint.prepare(sender), uses: 0 };
    own.set(endpoint, made);
    return made.request;
  };

  let sent = 0;
  const sendOne = async () => {
    const endpoint = random.pick(endpoints);
    const sender = endpoint.manualIssuance ? attackers.manual : attackers.automatic;
    const foreign = random.chance(0.15) ? theirs.get(endpoint) : undefined;
    const base = foreign ?? (await ownRequest(endpoint, sender));
    const request = random.chance(0.1) ? base : hostile(endpoint.route, base, random);
    const key = `${endpoint.route.method} ${endpoint.route.path}` as const;
    const answer = await sender.call(key, request);
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    const fault = openedFault(foreign, request, answer) ?? faultOf(endpoint, request, answer, secrets);
    if (fault) faults.push(`${key} ${short(request)}: ${fault} ${short(answer.body)}`);
  };
  const sendOnes = async () => {
    while (sent < requests) {
      sent += 1;
      if (sent % 500 === 0) onProgress?.(sent);
      await sendOne();
    }
  };
  await Promise.all(Array.from({ length: concurrency }, sendOnes));
  await settled?.();
  for (const key of changedKeys(before, await itemsOf(victim)))
    faults.push(`${key} of the other Tenant has changed`);
  return { statuses, endpoints: endpoints.length, faults };
}

/** A path that names another Tenant's record leads nowhere. A day is nobody's. */
function openedFault(
  foreign: CaseRequest | undefined,
  request: CaseRequest,
  { status }: Answer,
): string | undefined {
  const names = Object.keys(foreign?.path ?? {}).filter((name) => name !== "date");
  const namesTheirs = names.length > 0 && isDeepStrictEqual(request.path, foreign?.path);
  return namesTheirs && status === 200 ? "opened another Tenant's record" : undefined;
}

const inside =
  /node_modules|node:internal|\bat [\w.<>]+ \(|\.ts:\d+|DynamoDB|ConditionExpression|(?:Type|Range|Syntax|Reference)Error/;

function faultOf(
  { route }: Case,
  request: CaseRequest,
  { status, headers, body }: Answer,
  secrets: ReadonlySet<string>,
): string | undefined {
  if (status >= 500) return `answered ${status}`;
  const text = JSON.stringify(body);
  const sent = JSON.stringify(request);
  const leaked = [...identifiersIn(body)].filter((id) => secrets.has(id) && !sent.includes(id));
  if (leaked.length > 0) return `shows ${leaked.join(", ")} of another Tenant`;
  if (inside.test(text) && !inside.test(sent)) return "shows its inside";
  if (!Object.keys(headers).some((name) => name.toLowerCase() === "x-request-id"))
    return "has no X-Request-Id";
  if (status === 200) return body.status === "success" ? undefined : "is no success";
  if (body.status !== "error" || typeof body.message !== "string") return "is not in the envelope";
  // What the path has no place for is another route, or none.
  if (Object.values(request.path ?? {}).some((value) => /^\.{0,2}$/.test(value))) return undefined;
  const declared: readonly string[] = [
    ...routeErrors(route),
    ...[
      "IDEMPOTENCY_MISMATCH",
      "IDEMPOTENCY_IN_PROGRESS",
      "PAYLOAD_TOO_LARGE",
      "UNSUPPORTED_MEDIA_TYPE",
      "VALIDATION_FAILED",
      "ALREADY_CREATED",
    ],
  ];
  if (!declared.includes(body.code)) return `answered ${body.code}, which it does not declare`;
  const expected = errorCatalogue[body.code as keyof typeof errorCatalogue].status;
  return status === expected ? undefined : `answered ${body.code} with ${status}`;
}

function short(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 400 ? `${text.slice(0, 400)}…` : text;
}

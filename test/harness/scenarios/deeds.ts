import { onTestFinished, vi } from "vitest";
import type { ZodType } from "zod";
import { handler as receive } from "../../../functions/connection-webhooks/handler.ts";
import { handler } from "../../../functions/processor-events/handler.ts";
import type { ProcessorEvent } from "../../../shared/contract/processor.ts";
import { routes } from "../../../shared/contract/routes.ts";
import { splitWallet } from "../../../shared/ledger/hot/split-wallet.ts";
import { signatureHeaders } from "../../../shared/platform/callbacks/signature.ts";
import { now } from "../../../shared/platform/clock.ts";
import { newId } from "../../../shared/platform/id.ts";
import { administrationCommands, type CommandName, operate } from "../administration.ts";
import { apiEvent, type EventOptions } from "../api-event.ts";
import { givenActiveControls } from "../given-active-controls.ts";
import {
  ada,
  type GivenProgram,
  givenApprovedCardholder,
  givenCard,
  givenCardholder,
  givenDesign,
  givenWallet,
  overwrite,
  shippingAddress,
} from "../given-cards.ts";
import { setProgramSettings } from "../given-network.ts";
import { givenWalk } from "../given-walk.ts";
import { type Answer, replay } from "../replay.ts";
import { deleteExpired, storedItems } from "../stored.ts";
import { sweepDeadlines } from "../sweep-deadlines.ts";
import { type Deed, fill, find, type Outcome, toJson, type World } from "./world.ts";

/** Of any kind of event. */
interface EventResult {
  readonly outcome: string;
  readonly code?: string;
  readonly approved?: boolean;
  readonly declineReason?: string;
}

const done = (data?: unknown): Outcome => ({ word: "done", isDone: true, data });

const rejected = (error: unknown): Outcome => ({
  word: `rejected: ${(error as Error).message}`,
  isDone: false,
});

const toDetails = (world: World, text: string) => (text === "" ? {} : toJson(world, text));

/** `given card {...}`: without the details that it has anyway. */
const makes: Readonly<
  Record<string, (program: GivenProgram, world: World, text: string) => Promise<unknown>>
> = {
  card: async (program, world, text) => givenCard(program, toDetails(world, text)),
  physical: async (program, world, text) =>
    givenCard(program, { cardForm: 1, shippingAddress, ...toDetails(world, text) }),
  wallet: async (program, _, text) => ({ walletId: await givenWallet(program, Number(text)) }),
  split: async (program, _, text) => {
    const walletId = await givenWallet(program, Number(text));
    await splitWallet(program.programId, { kind: "wallet", accountId: walletId }, 0);
    return { walletId };
  },
  draft: async (program, world, text) => ({
    cardholderId: await givenCardholder(program, toDetails(world, text)),
  }),
  cardholder: async (program, world, text) => ({
    cardholderId: await givenApprovedCardholder(program, toDetails(world, text)),
  }),
  /** In force for the Card, `program` or `cardholder`, or several, without the wait of the API. */
  control: async ({ programId }, world, text) => {
    const of = { programId, cardId: String(world.names.cardId) };
    const [, owner = "card", rules = ""] = /^(?:(program|cardholder) )?(.*)$/.exec(text) ?? [];
    const given = rules.startsWith("[") ? toJson(world, rules) : [{ owner, rules: toJson(world, rules) }];
    const controlIds = await givenActiveControls(of, given);
    return { controlId: controlIds[0], controlIds };
  },
  design: async ({ programId }, _, text) => {
    const [slot, status] = text.split(" ").map(Number);
    await givenDesign(programId, slot ?? 0, status as 0 | 1 | 2);
  },
};

const lengths: Readonly<Record<string, number>> = {
  second: 1_000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
};

/** Only the date stands still; timers and sockets go on. */
export function setTime(ms: number): void {
  if (!vi.isFakeTimers()) onTestFinished(() => void vi.useRealTimers());
  vi.useFakeTimers({ toFake: ["Date"], now: ms });
}

/** The ids and such that a command must have, whatever else it has. */
function neededBy(command: string): string[] {
  const { input } = administrationCommands[command as CommandName];
  const [shape = {}, ...others] = "options" in input ? input.options.map((one) => one.shape) : [input.shape];
  const isNeeded = (name: string, schema: unknown) =>
    !(schema as ZodType).isOptional() && others.every((other) => name in other);
  return Object.entries(shape).flatMap(([name, schema]) => (isNeeded(name, schema) ? [name] : []));
}

/** What happens that is no request. */
export const deeds: Readonly<Record<string, Deed>> = {
  given: async (world, text) => {
    const [, of, kind = "", rest = ""] = /^(?:(other) )?(\w+) ?(.*)$/.exec(text) ?? [];
    const program = of ? world.others[of] : world.program;
    const make = makes[kind];
    if (!make || !program) throw new Error(`Nobody knows how to give ${text}.`);
    return done(await make(program, world, rest));
  },
  /** `stored CARD {...}`: attributes as no operation would write them. */
  stored: async (world, text) => {
    const [, sk = "", attributes = ""] = /^(\S+) (.*)$/.exec(text) ?? [];
    const items = await storedItems(world.program.programId);
    const ids = [world.names.cardId, world.names.cardholderId, world.names.walletId].map(String);
    const item = items.find((one) => one.sk === sk && ids.some((id) => one.pk.includes(id)));
    if (!item) throw new Error(`Nothing is stored under ${sk}.`);
    await overwrite({ pk: item.pk, sk: item.sk }, toJson(world, attributes));
    return done();
  },
  settings: async (world, text) =>
    done(await setProgramSettings(world.program.programId, toJson(world, text))),
  at: async (_, text) => done(setTime(Date.parse(text))),
  wait: async (_, text) => {
    const [, count, unit = ""] = /^(\d+) (\w+?)s?$/.exec(text) ?? [];
    return done(setTime(Date.now() + Number(count) * (lengths[unit] ?? Number.NaN)));
  },
  sweep: async () => done(await sweepDeadlines()),
  /** Once a day from now on, the Program's changes are walked. */
  walks: async ({ program }) => done(await givenWalk(program.programId, new Date())),
  /** `environment NAME value`, or none: until the scenario ends. */
  environment: async (_, text) => {
    const [name = "", value = ""] = text.split(" ");
    vi.stubEnv(name, value);
    onTestFinished(() => void vi.unstubAllEnvs());
    return done();
  },
  /** `delete expired`: as DynamoDB does sooner or later. */
  delete: async () => done(await deleteExpired()),
  /**
   * `network KIND [authorization] [amount] [{...}]`: an event about the newest Card, by direct
   * invocation.
   */
  network: async (world, text) => {
    const [, kind, authorizationId, amount, json] =
      /^(\w+)(?: ([A-Z]\w*))?(?: (\d+))?(?: (\{.*))?$/.exec(text) ?? [];
    const { programId } = world.program;
    const event = {
      ...{ programId, cardId: world.names.cardId, eventId: newId("event"), kind },
      ...(authorizationId && { authorizationId }),
      ...(amount && { amount: Number(amount) }),
      ...(json && toJson(world, json)),
    } as ProcessorEvent;
    let result: EventResult;
    try {
      result = (await handler(event)) as EventResult;
    } catch (error) {
      return rejected(error);
    }
    if (result.outcome === "refused") return { word: result.code ?? "", isDone: false, data: result };
    const word = result.approved === undefined ? "applied" : (result.declineReason ?? "approved");
    return { word, isDone: true, data: result };
  },
  /**
   * `operator COMMAND [.fields] [{...}]`: about what is newest where it must name something and
   * does not.
   */
  operator: async (world, text) => {
    const [, command = "", fields, json] = /^(\S+)(?: \.(\S+))?(?: (\{.*))?$/.exec(text) ?? [];
    const { programId, caller } = world.program;
    const known: Record<string, unknown> = { ...world.names, programId, tenantId: caller.tenantId };
    const given = Object.fromEntries(
      neededBy(command)
        .map((name) => [name, known[name]])
        .filter(([, value]) => value),
    );
    try {
      const output = await operate(command as CommandName, { ...given, ...(json && toJson(world, json)) });
      return done(fields ? pluck(output, fields) : output);
    } catch (error) {
      if ((error as Error).name !== "CommandRejected") throw error;
      return rejected(error);
    }
  },
  /** `says A [by B] [id] {...}`: the webhook of a connection that `A` created, signed with B's. */
  says: async (world, text) => {
    const [, name = "", by = name, id = newId("event"), json = ""] =
      /^(\S+)(?: by (\S+))?(?: (?!\{)(\S+))? (.*)$/.exec(text) ?? [];
    const { webhookUrl } = find(world, name) as Record<string, string>;
    const [programId = "", connectionId = ""] = webhookUrl?.split("/").slice(-2) ?? [];
    const body = JSON.stringify(toJson(world, json));
    const headers = signatureHeaders(id, Buffer.from(body), [String(find(world, `${by}.secret`))], now());
    return toOutcome(await postTo(programId, connectionId, body, headers));
  },
  /** `issue {...}`: a virtual Card of the newest Cardholder, unless it says otherwise. */
  issue: async (world, json) => {
    const body = {
      cardholderId: world.names.cardholderId,
      cardForm: 0,
      cardType: 0,
      ...toDetails(world, json),
    };
    return request(world, `issueCard ${JSON.stringify(body)}`);
  },
  /** `create {...}`: a Cardholder, by default Ada; `-` is left out. */
  create: async (world, json) => {
    const details = Object.entries({ ...ada, ...toDetails(world, json) }).filter(
      ([, value]) => value !== "-",
    );
    return request(world, `createCardholder ${JSON.stringify(Object.fromEntries(details))}`);
  },
  /** With what is printed on the newest plastic, or on the one that a step has named. */
  activate: async (world, name) => {
    const of = (field: string) => find(world, name ? `${name}.${field}` : field);
    const [lastFour, expiryMonth, expiryYear] = [
      of("maskedCardNumber:-4"),
      of("expiryMonth"),
      of("expiryYear"),
    ];
    return request(world, `activateCard ${JSON.stringify({ lastFour, expiryMonth, expiryYear })}`);
  },
};

/** Posts to a connection's webhook address. */
export async function postTo(
  programId: string,
  connectionId: string,
  body: string,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const route = "POST /connections/{programId}/{connectionId}";
  return replay(receive as never, apiEvent({ route, path: { programId, connectionId }, body, headers }));
}

export function toOutcome(answer: Answer): Outcome {
  const { items, data = items ?? answer.body, code } = answer.body;
  const isDone = answer.status === 200;
  return { word: isDone ? "200" : (code ?? `${answer.status}`), isDone, answer, data };
}

/**
 * `issueCard {...}`: an operation as the contract names it, `function.operation` where two
 * functions have it. `other` and `another`: by another Program, or another API user of this
 * one. `?...` is a query, `name=value` a part of the path, `key K` an Idempotency-Key, `.a,b`
 * the fields to look at, of each item of a list.
 */
export async function request(world: World, text: string): Promise<Outcome> {
  const [, by, of, operation, head = "", body] =
    /^(?:(other|another) )?(?:([a-z-]+)\.)?(\w+)((?: (?![[{])\S+)*)(?: ([[{].*))?$/.exec(text) ?? [];
  const route = routes.find((one) => one.operation === operation && (!of || one.function === of));
  if (!route) throw new Error(`The contract has no operation ${text}.`);
  const [, query] = / \?(\S*)/.exec(head) ?? [];
  const [, key] = / key (\S+)/.exec(head) ?? [];
  const [, fields] = / \.(\S+)/.exec(head) ?? [];
  const [, owner] = / of (\S+)/.exec(head) ?? [];
  const named = Object.fromEntries(
    [...head.matchAll(/ (\w+)=(\S+)/g)].map(([, name, value = ""]) => [name, fill(world, value)]),
  );
  const names = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  const program = by === "other" ? world.others.other : world.program;
  if (!program) throw new Error("No other Program is given.");
  named.programId ??= program.programId;
  const call = by === "another" ? program.callAsAnother : program.call;
  const answer = await call(`${route.method} ${route.path}` as EventOptions["route"], {
    path: Object.fromEntries(names.map((name) => [name, named[name] ?? parameter(world, owner, name)])),
    ...(query && { query: Object.fromEntries(new URLSearchParams(fill(world, query))) }),
    ...(key && { headers: { "Idempotency-Key": key } }),
    ...(route.method !== "GET" && route.method !== "DELETE" && { body: body ? toJson(world, body) : {} }),
  });
  const outcome = toOutcome(answer);
  return fields ? { ...outcome, data: pluck(outcome.data, fields) } : outcome;
}

/** Of what `of` names, which may be an id itself; else the newest. */
function parameter(world: World, owner: string | undefined, name: string): string {
  if (!owner) return String(find(world, name));
  const value = Object.hasOwn(world.names, owner.split(".")[0] ?? "") ? find(world, owner) : owner;
  if (typeof value === "string") return value;
  return String((value as Record<string, unknown>)[name] ?? find(world, name));
}

function pluck(data: unknown, fields: string): unknown {
  const names = fields.split(",");
  const of = (one: Record<string, unknown>) => names.map((name) => one[name]);
  if (!Array.isArray(data)) return names.length > 1 ? of(data as never) : (data as never)[fields];
  return data.map((one) => (names.length > 1 ? of(one) : one[fields]));
}

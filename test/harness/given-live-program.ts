import { readFileSync } from "node:fs";
import { Agent, request } from "undici";
import type { Connection } from "../../infra/development/connection.ts";
import { routes } from "../../shared/contract/routes.ts";
import {
  administrationCommands,
  type CommandName,
  type CommandOutput,
  isOfAuthorities,
} from "./administration.ts";
import { contentType } from "./api-event.ts";
import type { CaseRequest } from "./cases/case.ts";
import { callerOf, type GivenProgram } from "./given-cards.ts";
import { givenCertifiedKey, localAuthority, validFor } from "./given-certificates.ts";
import type { Answer } from "./replay.ts";

/** A Program of a running platform, called over mutual TLS by its own client. */
export interface LiveProgram extends GivenProgram {
  /** Ends the client's connections. */
  close(): Promise<void>;
}

interface Credentials {
  readonly certificatePem: string;
  readonly keyPem: string;
  readonly apiKey: string;
}

/** The demo Program of the platform that the connection leads to. */
export function demoProgram(connection: Connection): LiveProgram {
  const { tenantId, programId, programApiKey } = connection;
  return liveProgram(
    connection,
    { tenantId, programId, currency: 0 },
    demoCredentials(connection, programApiKey),
  );
}

/** The demo Tenant's Tenant-level key, which sees no Program. */
export function tenantLevel(connection: Connection): LiveProgram {
  const { tenantId, tenantApiKey } = connection;
  return liveProgram(connection, { level: "tenant", tenantId }, demoCredentials(connection, tenantApiKey));
}

function demoCredentials({ cert, key }: Connection, apiKey: string): Credentials {
  return { certificatePem: readFileSync(cert, "utf8"), keyPem: readFileSync(key, "utf8"), apiKey };
}

/** Of the demo Tenant, with an Approved design in slot 0, a key and a certificate. */
export async function givenLiveProgram(
  connection: Connection,
  options: {
    readonly manualIssuance?: boolean;
    readonly clearingDelaySeconds?: number;
    /** Leaves it the limits of a new Program; else it has some that no test meets. */
    readonly limited?: boolean;
  } = {},
): Promise<LiveProgram> {
  const { tenantId } = connection;
  const { programId } = await operateOn(connection, "create-program", {
    tenantId,
    name: "Another Program",
    currency: 0,
    settings: {
      issuanceApproval: options.manualIssuance ? 1 : 0,
      clearingDelaySeconds: options.clearingDelaySeconds ?? 0,
      threeDSecure: true,
    },
  });
  if (!options.limited) {
    const unlimited = { reads: "highest", writes: "highest", fundsMoves: "highest" };
    await operateOn(connection, "set-rate-limits", { programId, ...unlimited });
  }
  await operateOn(connection, "approve-design", { programId, cardType: 0, name: "Design" });
  return existingProgram(connection, { tenantId, programId });
}

/** With a key and a certificate of its own. */
export async function existingProgram(
  connection: Connection,
  { tenantId, programId }: Pick<Connection, "tenantId" | "programId">,
): Promise<LiveProgram> {
  const { apiKey } = await operateOn(connection, "create-api-key", { tenantId, programId, name: "Another" });
  const holder = { tenantId, programIds: [programId] };
  const { notAfter } = validFor(30);
  const certified = await givenCertifiedKey(localAuthority(connection), holder, { notAfter });
  await operateOn(connection, "register-certificate", { certificatePem: certified.certificatePem });
  return liveProgram(connection, { tenantId, programId, currency: 0 }, { ...certified, apiKey });
}

/** Of a new Tenant, which shares nothing with the demo's but the address of its host. */
export async function givenLiveTenant(connection: Connection): Promise<LiveProgram> {
  const { tenantId, apiKey: tenantApiKey } = await operateOn(connection, "create-tenant", {
    name: "Another",
    contactEmail: "contact@customer.example",
  });
  for (const cidr of ["127.0.0.1/32", "::1/128"]) await operateOn(connection, "allow-ip", { tenantId, cidr });
  return givenLiveProgram({ ...connection, tenantId, tenantApiKey });
}

/** Runs a command of platform administration, as Lambda's own API takes it. */
export async function operateOn<C extends CommandName>(
  { operatorUrl }: Connection,
  command: C,
  input: unknown,
): Promise<CommandOutput<C>> {
  const url = isOfAuthorities(command) ? operatorUrl.replace("-operator/", "-certificates/") : operatorUrl;
  const response = await fetch(url, { method: "POST", body: JSON.stringify({ command, input }) });
  const answer: unknown = await response.json();
  if (!response.ok || response.headers.has("x-amz-function-error")) throw new Error(JSON.stringify(answer));
  return administrationCommands[command].output.parse(answer) as CommandOutput<C>;
}

function liveProgram(
  connection: Connection,
  caller: GivenProgram["caller"],
  { certificatePem, keyPem, apiKey }: Credentials,
): LiveProgram {
  const dispatcher = new Agent({
    connect: { ca: readFileSync(connection.ca), cert: certificatePem, key: keyPem },
  });
  const callWith = async (programKey: string, key: string, options: CaseRequest = {}): Promise<Answer> => {
    const { method, url } = target(connection, key, options);
    const { statusCode, headers, body } = await request(url, {
      dispatcher,
      method,
      headers: {
        "X-API-Key":
          callerOf(key, { level: "program", ...caller }).level === "tenant"
            ? connection.tenantApiKey
            : programKey,
        ...(options.body !== undefined && { "Content-Type": contentType(key) }),
        ...options.headers,
      },
      ...(options.body !== undefined && { body: bodyText(options.body) }),
    });
    const named = Object.entries(headers).map(([name, value]) => [name, String(value)]);
    const text = await body.text();
    const isJson = String(headers["content-type"]).startsWith("application/json");
    return {
      status: statusCode,
      headers: Object.fromEntries(named),
      body: isJson ? JSON.parse(text) : text,
    };
  };
  return {
    programId: caller?.programId ?? "",
    caller,
    call: (key, options) => callWith(apiKey, key, options),
    callAsAnother: async (key, options) => {
      const { tenantId = "", programId } = caller;
      const other = { tenantId, programId, name: "A second person" };
      const made = await operateOn(connection, "create-api-key", other);
      return callWith(made.apiKey, key, options);
    },
    operate: (command, input) => operateOn(connection, command, input),
    close: () => dispatcher.close(),
  };
}

function target(connection: Connection, key: string, { path = {}, query = {} }: CaseRequest) {
  const route = routes.find((one) => `${one.method} ${one.path}` === key);
  if (!route) throw new Error(`The contract has no ${key}.`);
  const base = route.api === "sandbox" ? connection.sandboxUrl : connection.baseUrl;
  const filled = route.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? ""));
  const url = new URL(base + filled);
  for (const [name, values] of Object.entries(query)) {
    for (const value of [values].flat()) url.searchParams.append(name, value);
  }
  return { method: route.method, url };
}

function bodyText(body: unknown): string {
  return typeof body === "string" ? body : JSON.stringify(body);
}

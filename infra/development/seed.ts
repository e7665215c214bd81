import { readFileSync } from "node:fs";
import { z } from "zod";
import { Currency, IssuanceApproval } from "../../shared/contract/enums.ts";
import type { FunctionInvoker } from "../local/interfaces.ts";
import type { Zone } from "../local/start-services.ts";
import { type Connection, type Demo, readDemo, writeConnection } from "./connection.ts";
import {
  type CertifiedKeyFiles,
  type DevelopmentPki,
  ensureClientCertificate,
  networkClient,
} from "./development-pki.ts";
import { makeIban } from "./iban.ts";

export interface SeedOptions {
  /** Directory of connection.json. */
  readonly directory: string;
  readonly pki: DevelopmentPki;
  readonly functions: FunctionInvoker;
  readonly operatorFunctionName: string;
  /** This run's URLs; the port may differ each time. */
  readonly urls: Omit<
    Connection,
    keyof Demo | "ca" | "cert" | "key" | "clientCaKey" | "network" | "bankAccount"
  >;
  /** Virtual time. */
  readonly now: Date;
}

/** 127.0.0.3 has no confirmed name, to show how the platform rejects such callers. */
export const demoZone: Zone = {
  addresses: { "client.demo.test": ["127.0.0.1", "::1"] },
  names: { "127.0.0.1": ["client.demo.test"], "::1": ["client.demo.test"] },
};

/** The demo certificates' domain. The local DNS server maps it to loopback addresses. */
const demoDomain = "demo.test";
/** High enough for every demo. */
const demoLimits = { reads: "highest", writes: "highest", fundsMoves: "highest" };
/** 127.0.0.3 is on the allowlist but has no confirmed name: the platform rejects it (FCrDNS). */
const demoAddresses = ["127.0.0.1/32", "::1/128", "127.0.0.3/32"];

/** Creates the demo Tenant and Program or reuses existing ones, and writes connection.json. */
export async function seed(options: SeedOptions): Promise<Connection> {
  const { directory, urls } = options;
  const kept = readDemo(directory);
  const isKept = kept !== undefined && (await registerCertificate(options, kept)) === "registered";
  const demo = isKept ? kept : await createDemo(options);
  // At each start, because the usage plans may have changed.
  await operator(options)("set-rate-limits", { programId: demo.programId, ...demoLimits }, {});
  const { programId, bankAccount = makeIban(demo.programId) } = demo;
  if (demo.bankAccount === undefined)
    await operator(options)("set-bank-account", { programId, bankAccount }, {});
  const client = await ensureClientCertificate(options.pki, toHolder(demo), options.now);
  const { authority } = options.pki;
  const connection: Connection = {
    ...urls,
    ca: authority.certificateFile,
    cert: client.certificateFile,
    key: client.keyFile,
    clientCaKey: authority.keyFile,
    network: {
      server: toPaths(options.pki.server),
      client: { name: networkClient, ...toPaths(options.pki.network) },
    },
    ...demo,
    bankAccount,
  };
  writeConnection(directory, connection);
  return connection;
}

function toPaths({ certificateFile: cert, keyFile: key }: CertifiedKeyFiles) {
  return { cert, key };
}

async function createDemo(options: SeedOptions): Promise<Demo> {
  const run = operator(options);
  const { tenantId } = await run(
    "create-tenant",
    { name: "Demo Tenant", contactEmail: "contact@demo.example" },
    { tenantId: z.string() },
  );
  const { programId, walletId } = await run(
    "create-program",
    {
      tenantId,
      name: "Demo Program",
      currency: Currency.usd,
      settings: {
        issuanceApproval: IssuanceApproval.automatic,
        clearingDelaySeconds: 0,
        threeDSecure: true,
      },
    },
    { programId: z.string(), walletId: z.string() },
  );
  await run("approve-design", { programId, cardType: 0, name: "Demo design" }, {});
  for (const cidr of demoAddresses) await run("allow-ip", { tenantId, cidr }, {});
  const apiKey = { apiKey: z.string() };
  const program = await run("create-api-key", { tenantId, programId, name: "Demo Program" }, apiKey);
  const tenant = await run("create-api-key", { tenantId, name: "Demo Tenant" }, apiKey);
  const demo = { tenantId, programId, walletId, programApiKey: program.apiKey, tenantApiKey: tenant.apiKey };
  if ((await registerCertificate(options, demo)) === "rejected") {
    throw new Error("The operator function rejected a certificate of the Tenant that it has just created.");
  }
  return demo;
}

/** Idempotent. Rejected if the Tenant or Program does not exist. */
async function registerCertificate(options: SeedOptions, demo: Demo): Promise<"registered" | "rejected"> {
  const client = await ensureClientCertificate(options.pki, toHolder(demo), options.now);
  const certificatePem = readFileSync(client.certificateFile, "utf8");
  try {
    await operator(options)("register-certificate", { certificatePem }, {});
    return "registered";
  } catch (error) {
    if (error instanceof CommandRejectedError) return "rejected";
    throw error;
  }
}

function toHolder({ tenantId, programId }: Demo) {
  return { tenantId, programIds: [programId], domain: demoDomain };
}

class CommandRejectedError extends Error {
  override readonly name = "CommandRejectedError";
}

const Failure = z.object({ errorType: z.string(), errorMessage: z.string() });

/** Runs the operator's commands and returns the named output fields. */
function operator({ functions, operatorFunctionName }: SeedOptions) {
  return async <S extends z.ZodRawShape>(command: string, input: unknown, output: S) => {
    const { payload, functionError } = await functions.invoke(operatorFunctionName, { command, input });
    if (functionError === undefined) return z.object(output).parse(payload);
    const { errorType, errorMessage } = Failure.parse(payload);
    const message = `${command}: ${errorMessage}`;
    throw errorType === "CommandRejected" ? new CommandRejectedError(message) : new Error(message);
  };
}

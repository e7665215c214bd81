import { describe, expect, test } from "vitest";
import {
  ensureFirstTenant,
  type FirstTenantOptions,
  isUsableCertificate,
} from "../../infra/commands/deploy/first-tenant.ts";
import type { FirstTenant } from "../../infra/commands/deploy/first-tenant-record.ts";
import { issueAuthority, issueClientCertificate } from "../../infra/development/issue-certificate.ts";
import { operatorCommands } from "../../shared/contract/operator.ts";
import { emulatedAdministration } from "./aws/emulated-administration.ts";

const domain = "host.customer.example";
const dayMs = 86_400_000;
const now = new Date();
const until = (days: number) => ({
  notBefore: new Date(now.getTime() - dayMs),
  notAfter: new Date(now.getTime() + days * dayMs),
});

/** A record that is kept in memory, and platform administration that answers without a store. */
async function given(options: Partial<FirstTenantOptions> = {}) {
  const administration = await emulatedAdministration(domain);
  const inputs = new Map<string, unknown>();
  const written: FirstTenant[] = [];
  const administer: FirstTenantOptions["administer"] = async (command, input) => {
    inputs.set(command, input);
    const isOfCertificates = command === "issue-certificate" || command === "view-truststore";
    const name = `card-issuing-staging-${isOfCertificates ? "certificates" : "operator"}`;
    return (await administration.invoke(name, { command, input })).output;
  };
  const { truststore } = (await administer("view-truststore", {})) as { truststore: string };
  administration.commands.length = 0;
  const said: string[] = [];
  const run = (more: Partial<FirstTenantOptions> = {}) =>
    ensureFirstTenant({
      administer,
      record: { read: async () => written.at(-1), write: async (tenant) => void written.push(tenant) },
      contactEmail: "operations@platform.example",
      caller: { address: "192.0.2.1", domain },
      hasSandbox: true,
      hasCustodyKeys: true,
      truststore,
      now,
      say: (line) => said.push(line),
      ...options,
      ...more,
    });
  return { administration, inputs, written, said, run };
}

describe("the first Tenant of an environment", () => {
  test("gets no card design in production, and its own account keys if the environment has none", async () => {
    const { administration, inputs, run } = await given({ hasSandbox: false, hasCustodyKeys: false });
    await run();
    const commands = ["create-tenant", "create-program", "create-api-key", "issue-certificate", "allow-ip"];
    expect(administration.commands).toEqual(commands);
    const program = operatorCommands["create-program"].input.parse(inputs.get("create-program"));
    expect(Object.keys(program.settings.extendedPublicKeys ?? {})).toEqual(["bitcoin", "ethereum", "tron"]);
    expect(inputs.get("create-tenant")).toMatchObject({ contactEmail: "operations@platform.example" });
    expect(inputs.get("allow-ip")).toMatchObject({ cidr: "192.0.2.1/32" });
  });

  test.each([1, 2, 3, 4, 5])(
    "is completed after an interruption behind part %i, without creating anything twice",
    async (parts) => {
      const { administration, written, run } = await given();
      const whole = await run();
      const made = [...administration.commands];
      written.length = parts;
      administration.commands.length = 0;
      const completed = await run();
      const left = made.slice(parts);
      expect(administration.commands).toEqual(parts === 5 ? ["list-credentials", ...left] : left);
      expect(completed.tenantId).toBe(whole.tenantId);
      expect(Object.keys(completed).toSorted()).toEqual(Object.keys(whole).toSorted());
    },
  );

  test("gets a new certificate for a new domain, and the old one is revoked, even after an interruption", async () => {
    const { administration, written, inputs, run } = await given();
    const { certificate } = await run();
    administration.commands.length = 0;
    const elsewhere = { address: "2001:db8::1", domain: "other.customer.example" };
    await run({ caller: elsewhere });
    expect(administration.commands).toEqual([
      "list-credentials",
      "issue-certificate",
      "revoke-certificate",
      "allow-ip",
    ]);
    expect(inputs.get("allow-ip")).toMatchObject({ cidr: "2001:db8::1/128" });
    written.length -= 1;
    expect(written.at(-1)?.superseded).toEqual([certificate.certificateId]);
    administration.commands.length = 0;
    await run();
    expect(administration.commands).toEqual(["list-credentials", "revoke-certificate", "allow-ip"]);
  });

  test("gets a new certificate if a restore has lost the old one, which is not revoked", async () => {
    const { administration, written, run } = await given();
    const { certificate } = await run();
    const last = written.at(-1);
    if (last !== undefined) written.push({ ...last, superseded: ["crt_lost"] });
    administration.loseCertificates();
    administration.commands.length = 0;
    expect((await run()).certificate.certificateId).not.toBe(certificate.certificateId);
    expect(administration.commands).toEqual(["list-credentials", "issue-certificate", "allow-ip"]);
  });

  test("stays incomplete if platform administration rejects a part", async () => {
    const { said, run } = await given();
    const administer = async (command: string) => {
      if (command === "create-program") throw new Error("settings.extendedPublicKeys: Required");
      return { tenantId: "tnt_1", apiKey: "key" };
    };
    await expect(run({ administer })).rejects.toThrow("settings.extendedPublicKeys");
    expect(said).toEqual(["The platform's own Tenant tnt_1: created"]);
  });
});

describe("an existing client certificate", () => {
  test("is kept for its domain and subdomains while its CA is trusted and 30 days are left", async () => {
    const authority = await issueAuthority("One CA", until(3650));
    const other = await issueAuthority("Another CA", until(3650));
    const issued = async (days: number) => {
      const holder = { tenantId: "tnt_1", programIds: ["prg_1"], domains: ["customer.example"] };
      return (await issueClientCertificate({ authority, ...holder, ...until(days) })).certificatePem;
    };
    const pem = await issued(90);
    const both = other.certificatePem + authority.certificatePem;
    expect(isUsableCertificate(pem, "customer.example", both, now)).toBe(true);
    expect(isUsableCertificate(pem, domain, both, now)).toBe(true);
    expect(isUsableCertificate(pem, "othercustomer.example", both, now)).toBe(false);
    expect(isUsableCertificate(pem, domain, other.certificatePem, now)).toBe(false);
    expect(isUsableCertificate(await issued(29), domain, both, now)).toBe(false);
  });
});

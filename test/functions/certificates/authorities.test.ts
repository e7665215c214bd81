import { X509Certificate } from "node:crypto";
import { afterEach, describe, expect, test, vi } from "vitest";
import { authorityTransitions } from "../../../functions/certificates/authorities.ts";
import { authorityStatus } from "../../../shared/contract/authority.ts";
import { operate } from "../../harness/administration.ts";
import { allStoredItems } from "../../harness/stored.ts";
import { by } from "../operator/expect-rejected.ts";
import { givenApplicant } from "./given-applicant.ts";

const dayMs = 86_400_000;
const refused = expect.objectContaining({ name: "CommandRejected" });
afterEach(() => vi.useRealTimers());

const passDays = (days: number) => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + days * dayMs });
};
const trusted = async () => {
  const { truststore } = await operate("view-truststore", {});
  const blocks = truststore.match(/-----BEGIN[^-]+-----[^-]+-----END[^-]+-----\n/g) ?? [];
  return blocks.map((pem) => new X509Certificate(pem));
};
const statuses = async () => {
  const { authorities } = await operate("list-authorities", {});
  return Object.fromEntries(authorities.map(({ name, status }) => [name, status]));
};
const audited = async () => (await allStoredItems()).filter(({ pk }) => pk === "PLATFORM#AUDIT");
const issuerOf = async () => {
  const { certificate } = await (await givenApplicant()).certificate();
  return /CN=(.*)/.exec(new X509Certificate(certificate).issuer)?.[1];
};

describe("the certificate authorities", () => {
  test("the first is created once, even by simultaneous commands, and is the only trusted one", async () => {
    const views = await Promise.all(Array.from({ length: 4 }, () => operate("view-truststore", {})));
    expect(new Set(views.map(({ truststore }) => truststore)).size).toBe(1);
    const [authority, ...others] = await trusted();
    expect(others).toEqual([]);
    expect(authority?.ca).toBe(true);
    expect(authority?.verify(authority.publicKey)).toBe(true);
    expect(authority?.subject).toBe("O=Card issuing platform\nOU=local\nCN=Client CA first");
    expect(authority?.validToDate.getTime()).toBeGreaterThan(Date.now() + 19 * 365 * dayMs);
    expect(await statuses()).toEqual({ first: "issuing" });
  });

  test("are rotated step by step: both are trusted until the first one's certificates are over", async () => {
    expect(await issuerOf()).toBe("Client CA first");
    await operate("trust-authority", { name: "second" });
    expect(await statuses()).toEqual({ first: "issuing", second: "trusted" });
    expect(await trusted()).toHaveLength(2);
    expect(await issuerOf()).toBe("Client CA first");

    await operate("issue-with-authority", { name: "second" });
    expect(await statuses()).toEqual({ first: "trusted", second: "issuing" });
    expect(await issuerOf()).toBe("Client CA second");

    const early = operate("remove-authority", { name: "first" });
    await expect(early).rejects.toThrow("may be valid until");
    passDays(91);
    expect(await operate("remove-authority", { name: "first" })).toMatchObject({ status: "removed" });
    const subjects = (await trusted()).map(({ subject }) => subject.split("\n").at(-1));
    expect(subjects).toEqual(["CN=Client CA second"]);
    expect(await issuerOf()).toBe("Client CA second");
  });

  test("a removed one can be trusted again unchanged; one in use is removed only with evenInUse", async () => {
    const before = await trusted();
    await operate("trust-authority", { name: "first" });
    expect((await trusted()).map(({ fingerprint256 }) => fingerprint256)).toEqual(
      expect.arrayContaining(before.map(({ fingerprint256 }) => fingerprint256)),
    );
    expect(await trusted()).toHaveLength(2);
    await operate("remove-authority", { name: "first", evenInUse: true });
    expect(await trusted()).toHaveLength(1);
  });

  test("each change is recorded in the platform's audit log, with who made it", async () => {
    const before = await audited();
    await operate("trust-authority", { name: "first" });
    await operate("remove-authority", { name: "first", evenInUse: true });
    const entries = (await audited()).filter(({ sk }) => before.every((entry) => entry.sk !== sk));
    const common = { actor: by, subjectId: "first" };
    const [removed, trusted] = ["removed", "trusted"].map((first) => ({ first, second: "issuing" }));
    expect(entries).toEqual([
      expect.objectContaining({ ...common, action: "authority.trust", before: removed, after: trusted }),
      expect.objectContaining({ ...common, action: "authority.remove", before: trusted, after: removed }),
    ]);
  });

  test("unknown keys and unknown CAs are rejected", async () => {
    const before = await allStoredItems();
    await expect(operate("trust-authority", { name: "third" })).rejects.toThrow("only first, second");
    await expect(operate("issue-with-authority", { name: "third" })).rejects.toThrow(refused);
    await expect(operate("remove-authority", { name: "third" })).rejects.toThrow(refused);
    await expect(operate("trust-authority", { name: "FIRST" })).rejects.toThrow("name: ");
    expect(await allStoredItems()).toEqual(before);
  });

  const commands = {
    trust: "trust-authority",
    issue: "issue-with-authority",
    remove: "remove-authority",
  } as const;
  const pairs = authorityStatus.options.flatMap((from) =>
    Object.keys(commands).map((trigger) => ({ from, trigger: trigger as keyof typeof commands })),
  );
  test.each(pairs)("one that is $from: $trigger", async ({ from, trigger }) => {
    // "first" comes into the status from wherever it is.
    await operate("trust-authority", { name: "first" });
    await operate("trust-authority", { name: "second" });
    await operate("issue-with-authority", { name: from === "issuing" ? "first" : "second" });
    if (from === "removed") await operate("remove-authority", { name: "first", evenInUse: true });
    expect((await statuses()).first).toBe(from);

    const step = authorityTransitions.find((one) => one.from === from && one.trigger === trigger);
    const input = { name: "first", ...(trigger === "remove" && { evenInUse: true }) };
    const before = await allStoredItems();
    const attempt = operate(commands[trigger], input);
    const target = { trust: "trusted", issue: "issuing", remove: "removed" }[trigger];
    if (step) {
      expect(await attempt).toMatchObject({ status: step.to });
    } else if (from === target || (from === "issuing" && trigger === "trust")) {
      // It is as it was asked to be.
      expect(await attempt).toMatchObject({ status: from });
      expect(await allStoredItems()).toEqual(before);
    } else {
      await expect(attempt).rejects.toThrow(refused);
      expect(await allStoredItems()).toEqual(before);
    }
    expect(Object.values(await statuses()).filter((status) => status === "issuing")).toHaveLength(1);
  });
});

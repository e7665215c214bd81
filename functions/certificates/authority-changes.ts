import { certificateDays } from "../../shared/contract/account-access.ts";
import type { AuthorityView } from "../../shared/contract/authority.ts";
import { dayMs, now, timestamp } from "../../shared/platform/clock.ts";
import { environment } from "../../shared/platform/environment.ts";
import { findStep } from "../../shared/platform/table/transition.ts";
import { CommandRejected } from "../../shared/tenancy/administration/command-rejected.ts";
import type { Actor } from "../../shared/tenancy/audit-log.ts";
import {
  type Authority,
  type AuthorityTrigger,
  authorityTransitions,
  changeAuthorities,
  readAuthorities,
} from "./authorities.ts";
import type { Command } from "./command.ts";

/** The usual lifetime of a private CA; it is replaced long before. */
const authorityDays = 20 * 365;
/** Clocks of gateways and clients may be behind. */
const backdatedMs = dayMs;

export const listAuthorities: Command<"list-authorities"> = async () => ({
  authorities: (await readAuthorities()).map(toView),
});

/**
 * Creates the certificate if the key has none. The environment's first CA issues.
 * @throws CommandRejected if the environment does not have the key
 */
export const trustAuthority: Command<"trust-authority"> = async ({ name }, actor) => {
  const authorities = await changeAuthorities({ action: "authority.trust", name, actor }, async (found) => {
    const known = found.find((one) => one.name === name);
    if (!known) return [...found, await newAuthority(name, found.length === 0, actor)];
    return known.status === "removed" ? replaceAuthority(found, changeStatus(known, "trust")) : found;
  });
  return toView(requireAuthority(authorities, name));
};

/**
 * The previous CA stays trusted.
 * @throws CommandRejected if the CA is not trusted
 */
export const issueWithAuthority: Command<"issue-with-authority"> = async ({ name }, actor) => {
  const authorities = await changeAuthorities({ action: "authority.issue", name, actor }, (found) => {
    const chosen = requireAuthority(found, name);
    if (chosen.status === "issuing") return found;
    const { supersededAt: _, ...issuing } = changeStatus(chosen, "issue");
    return found.map((one) => {
      if (one.name === name) return issuing;
      return one.status === "issuing" ? { ...changeStatus(one, "supersede"), supersededAt: actor.at } : one;
    });
  });
  return toView(requireAuthority(authorities, name));
};

/**
 * `evenInUse` removes a CA whose certificates may still be valid.
 * @throws CommandRejected if the CA issues, or is in use without `evenInUse`
 */
export const removeAuthority: Command<"remove-authority"> = async ({ name, evenInUse }, actor) => {
  const authorities = await changeAuthorities({ action: "authority.remove", name, actor }, (found) => {
    const chosen = requireAuthority(found, name);
    if (chosen.status === "removed") return found;
    const removed = changeStatus(chosen, "remove");
    const until = findEndOfUse(chosen);
    if (until !== undefined && until > actor.at && !evenInUse) {
      throw new CommandRejected(
        `Certificates of ${name} may be valid until ${until}: say evenInUse to remove it.`,
      );
    }
    return replaceAuthority(found, removed);
  });
  return toView(requireAuthority(authorities, name));
};

/** The certificates of all trusted CAs. Creates the first CA if there is none. */
export const viewTruststore: Command<"view-truststore"> = async (_, actor) => {
  const [first] = environment.authorityKeys;
  if (first === undefined) throw new Error("The environment has no key for a certificate authority.");
  const { name } = first;
  const authorities = await changeAuthorities({ action: "authority.trust", name, actor }, async (found) =>
    found.length > 0 ? found : [await newAuthority(name, true, actor)],
  );
  const trusted = authorities.filter(({ status }) => status !== "removed");
  return { truststore: trusted.map(({ certificatePem }) => certificatePem).join("") };
};

async function newAuthority(name: string, issues: boolean, actor: Actor): Promise<Authority> {
  const keys = environment.authorityKeys;
  const keyArn = keys.find((key) => key.name === name)?.keyArn;
  if (keyArn === undefined) {
    const known = keys.map((key) => key.name).join(", ");
    throw new CommandRejected(`The environment has no key ${name}, only ${known}: its settings name them.`);
  }
  // A certificate's times have no milliseconds.
  const atMs = Math.floor(now().getTime() / 1000) * 1000;
  const notAfter = new Date(atMs + authorityDays * dayMs);
  const { signAuthority } = await import("./sign-certificate.ts");
  const certificatePem = await signAuthority(keyArn, {
    name: [{ O: ["Card issuing platform"] }, { OU: [environment.name] }, { CN: [`Client CA ${name}`] }],
    notBefore: new Date(atMs - backdatedMs),
    notAfter,
  });
  return {
    name,
    keyArn,
    certificatePem,
    status: issues ? "issuing" : "trusted",
    notAfter: timestamp(notAfter),
    createdAt: actor.at,
    createdBy: actor.by,
  };
}

function requireAuthority(authorities: readonly Authority[], name: string): Authority {
  const authority = authorities.find((one) => one.name === name);
  if (!authority) throw new CommandRejected(`There is no certificate authority ${name}.`);
  return authority;
}

function changeStatus(authority: Authority, trigger: AuthorityTrigger): Authority {
  const { from, to } = findStep(authorityTransitions, trigger);
  if (!from.some((one) => one === authority.status)) {
    throw new CommandRejected(`${authority.name} is ${authority.status}.`);
  }
  return { ...authority, status: to };
}

function replaceAuthority(authorities: readonly Authority[], by: Authority): Authority[] {
  return authorities.map((one) => (one.name === by.name ? by : one));
}

function findEndOfUse({ supersededAt }: Authority): string | undefined {
  return supersededAt && timestamp(new Date(Date.parse(supersededAt) + certificateDays * dayMs));
}

function toView(authority: Authority): AuthorityView {
  const { name, status, notAfter, createdAt: dateCreated } = authority;
  const until = findEndOfUse(authority);
  return { name, status, notAfter, dateCreated, ...(until && { inUseUntil: until }) };
}

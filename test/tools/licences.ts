import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { declareCommand, runCommand } from "../../infra/command-line/command.ts";
import { say } from "../../infra/command-line/print.ts";

export const licencePage = "docs/licences.md";

const lockFile = "package-lock.json";

/** SPDX expressions of licences under which a closed product may use a package unchanged. */
const accepted: ReadonlySet<string> = new Set([
  "0BSD",
  "Apache-2.0",
  "BlueOak-1.0.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "CC-BY-4.0",
  "CC0-1.0",
  "ISC",
  "MIT",
  "MIT-0",
  "MPL-2.0",
  // A font that is embedded in a document does not bind it.
  "OFL-1.1",
  "PSF-2.0",
  "Python-2.0",
  "Unlicense",
  "WTFPL",
  "(MIT OR Apache-2.0)",
  "(MIT OR CC0-1.0)",
  "MIT OR Apache-2.0",
  "(MIT OR GPL-3.0-or-later)",
  "(AFL-2.1 OR BSD-3-Clause)",
  "(BSD-3-Clause OR GPL-2.0)",
]);

/** What lock files do not take over: a list in `licenses`, or a file with the licence's text. */
const statedOtherwise: Readonly<Record<string, string>> = {
  "compute-gcd@1.2.1": "MIT",
  "compute-lcm@1.1.2": "MIT",
  "httpntlm@1.8.13": "MIT",
  "reserved@0.1.2": "MIT",
  "stack-trace@0.0.9": "MIT",
  "validate.io-function@1.0.2": "MIT",
  "validate.io-integer@1.0.5": "MIT",
  "validate.io-integer-array@1.0.0": "MIT",
  "validate.io-number@1.0.3": "MIT",
};

interface Package {
  readonly name: string;
  readonly version: string;
  readonly licence: string;
  readonly isDeployed: boolean;
}

/** The packages of a lock file. @throws Error for one without a licence that is accepted. */
export function packagesOf(file: string): Package[] {
  const { packages } = JSON.parse(readFileSync(file, "utf8"));
  const found = new Map<string, Package>();
  for (const [path, locked] of Object.entries<LockedPackage>(packages)) {
    const { version } = locked;
    const isOwn = !path.startsWith("node_modules/") || locked.link || locked.resolved?.startsWith("file:");
    if (isOwn || version === undefined) continue;
    const name = nameAt(path);
    const license = locked.license ?? statedOtherwise[`${name}@${version}`];
    if (license === undefined || !accepted.has(license)) {
      throw new Error(`${name} ${version} in ${file} has the licence ${license}, which is not accepted.`);
    }
    found.set(`${name}@${version}`, {
      name,
      version,
      licence: license,
      isDeployed: !locked.dev && !locked.optional,
    });
  }
  return [...found.values()];
}

interface LockedPackage {
  /** Missing where it is a link. */
  readonly version?: string;
  readonly integrity?: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly link?: boolean;
  readonly resolved?: string;
}

function nameAt(path: string): string {
  return path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
}

/**
 * A lock file with the place of each package's archive: without it, npm reads the lists of all
 * versions first. No host ends with `.invalid` (RFC 6761): `.npmrc` has npm ask the registry
 * that is set up.
 */
export function withPlaces(text: string): string {
  const lock = JSON.parse(text);
  for (const [path, locked] of Object.entries<LockedPackage>(lock.packages)) {
    const { version, resolved, integrity, ...rest } = locked;
    if (integrity === undefined) continue;
    const name = nameAt(path);
    const archive = `${name.slice(name.lastIndexOf("/") + 1)}-${version}.tgz`;
    lock.packages[path] = {
      version,
      resolved: `https://registry.invalid/${name}/-/${archive}`,
      integrity,
      ...rest,
    };
  }
  return `${JSON.stringify(lock, null, 2)}\n`;
}

/** Of all that `npm ci` and the tools' first use install. */
export function renderLicences(): string {
  const installed = packagesOf(lockFile);
  const toolLocks = readdirSync("infra/tools")
    .map((folder) => join("infra/tools", folder, "package-lock.json"))
    .filter((file) => existsSync(file));
  return `# Licences

The licences of all packages, from the lock files. \`npm run licences\` writes this page. It fails if a package has a
licence that \`test/tools/licences.ts\` does not accept.

[Releases](release.md) have a software bill of materials of what is deployed (CycloneDX).

## Deployed

${section(installed.filter(({ isDeployed }) => isDeployed))}
## Development

${section(installed.filter(({ isDeployed }) => !isDeployed))}
## Tools, installed at their first use

${section(toolLocks.flatMap(packagesOf))}`;
}

function section(packages: readonly Package[]): string {
  const byLicence = Map.groupBy(packages, ({ licence }) => licence);
  const names = [...byLicence.keys()].toSorted();
  return names
    .map((licence) => {
      const listed = (byLicence.get(licence) ?? []).map(({ name, version }) => `${name} ${version}`);
      const unique = [...new Set(listed)].toSorted();
      return `**${licence.replace(/[()]/g, "")}** (${unique.length})\n\n${unique.join(",\n")}\n\n`;
    })
    .join("");
}

export const command = declareCommand({
  name: "licences",
  summary:
    "writes docs/licences.md and the lock file's places of archives; fails at a licence that is not accepted",
  run: async () => {
    writeFileSync(lockFile, withPlaces(readFileSync(lockFile, "utf8")));
    writeFileSync(licencePage, renderLicences());
    say(`Wrote ${licencePage}`);
  },
});

if (import.meta.main) await runCommand(command);

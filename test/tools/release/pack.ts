import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { git, readSection } from "./readiness.ts";
import type { Run } from "./release.ts";

interface PackOptions {
  readonly root: string;
  readonly version: string;
  readonly run: Run;
}

/** Writes the files of a release. The same commit gives the same bytes. */
export function packRelease({ root, version, run }: PackOptions): string {
  const folder = path.join(root, ".release", version);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const must = (...words: string[]) => {
    if (run(words, root) !== 0) throw new Error(`${words.join(" ")} failed.`);
  };
  must("npm", "pack", "./client", "--pack-destination", folder);
  rmSync(path.join(root, "cdk.out"), { recursive: true, force: true });
  must("npm", "run", "synth");
  const committed = git(root, "log", "-1", "--format=%ct");
  packAssembly(root, path.join(folder, `card-issuing-assembly-${version}.tar.gz`), committed);
  writeFileSync(path.join(folder, "sbom.cdx.json"), billOfMaterials(root, committed));
  writeFileSync(path.join(folder, "release-notes.md"), `${readSection(root, version).notes}\n`);
  const sums = readdirSync(folder)
    .toSorted()
    .map(
      (file) =>
        `${createHash("sha256")
          .update(readFileSync(path.join(folder, file)))
          .digest("hex")}  ${file}\n`,
    );
  writeFileSync(path.join(folder, "SHA256SUMS"), sums.join(""));
  return folder;
}

/** In the order of names, with the commit's time, and nobody's name. */
function packAssembly(root: string, file: string, committed: string): void {
  const order = [
    "--sort=name",
    `--mtime=@${committed}`,
    "--owner=0",
    "--group=0",
    "--numeric-owner",
    "--mode=u=rwX,go=rX",
  ];
  const tar = execFileSync("tar", [...order, "-cf", "-", "cdk.out"], { cwd: root, maxBuffer: 2 ** 31 });
  writeFileSync(file, execFileSync("gzip", ["-n", "-9"], { input: tar, maxBuffer: 2 ** 31 }));
}

/** CycloneDX, of what is deployed, without what differs between two runs. */
function billOfMaterials(root: string, committed: string): string {
  const words = ["sbom", "--package-lock-only", "--sbom-format", "cyclonedx"];
  const found = JSON.parse(execFileSync("npm", words, { cwd: root, encoding: "utf8", maxBuffer: 2 ** 28 }));
  // npm's own --omit dev also leaves out packages that are deployed.
  found.components = found.components.filter((one: Component) => !isOfDevelopment(one));
  // The lock file's places are on no host: the package's URL says where it comes from.
  for (const one of found.components) delete one.externalReferences;
  const kept = new Set([
    found.metadata.component["bom-ref"],
    ...found.components.map((one: Component) => one["bom-ref"]),
  ]);
  found.dependencies = found.dependencies
    .filter(({ ref }: Dependency) => kept.has(ref))
    .map(({ ref, dependsOn }: Dependency) => ({ ref, dependsOn: dependsOn.filter((one) => kept.has(one)) }));
  delete found.serialNumber;
  found.metadata.timestamp = new Date(Number(committed) * 1_000).toISOString();
  return `${JSON.stringify(found, null, 2)}\n`;
}

interface Component {
  readonly "bom-ref": string;
  readonly properties?: readonly { readonly name: string }[];
}

interface Dependency {
  readonly ref: string;
  readonly dependsOn: readonly string[];
}

function isOfDevelopment({ properties = [] }: Component): boolean {
  return properties.some(({ name }) => name === "cdx:npm:package:development");
}

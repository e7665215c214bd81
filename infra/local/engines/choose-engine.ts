import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";

/** What decides about the engine; another one in tests. */
export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly arch: string;
  hasPackageFile(file: string): boolean;
  /** The first number of Java's version; undefined without Java. */
  javaVersion(): number | undefined;
}

export const thisMachine: Machine = {
  platform: process.platform,
  arch: process.arch,
  hasPackageFile: (file) => {
    try {
      createRequire(import.meta.url).resolve(file);
      return true;
    } catch {
      return false;
    }
  },
  javaVersion: () => {
    // macOS has a java that only says that there is none.
    const { status: exitStatus, stderr } = spawnSync("java", ["-version"], { encoding: "utf8" });
    const [, version] = /version "(\d+)/.exec(stderr ?? "") ?? [];
    return exitStatus === 0 && version !== undefined ? Number(version) : undefined;
  },
};

const oldestJava = 17;

/** The engine's file in its package for a platform. */
export function dynoxideFile({ platform, arch }: Pick<Machine, "platform" | "arch">): string {
  return `@dynoxide/${platform}-${arch}/dynoxide`;
}

const installJava: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  darwin: "brew install --cask temurin",
  win32: "wsl --install, and then work inside of WSL",
};

/** @throws Error that says what to install */
export function chooseEngine(machine: Machine = thisMachine): "dynoxide" | "dynamodb-local" {
  if (machine.hasPackageFile(dynoxideFile(machine))) return "dynoxide";
  const java = machine.javaVersion();
  if (java !== undefined && java >= oldestJava) return "dynamodb-local";
  const found = java === undefined ? "there is no Java" : `this is Java ${java}`;
  const { platform, arch } = machine;
  const install = installJava[platform] ?? "sudo apt-get install --yes default-jre-headless";
  throw new Error(
    `On ${platform}-${arch} the local platform needs Java ${oldestJava} or newer, and ${found}. Install it: ${install}`,
  );
}

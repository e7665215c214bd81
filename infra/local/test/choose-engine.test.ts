import { describe, expect, it } from "vitest";
import { chooseEngine, type Machine } from "../engines/choose-engine.ts";

/** A machine of another kind, with or without the engine's package and Java. */
function machine(platform: NodeJS.Platform, arch: string, java?: number, installed?: string): Machine {
  return {
    platform,
    arch,
    hasPackageFile: (file) => file === `@dynoxide/${installed}/dynoxide`,
    javaVersion: () => java,
  };
}

describe("the engine that npm start takes", () => {
  it("is the engine's binary for this platform, where it is installed", () => {
    expect(chooseEngine(machine("linux", "x64", 21, "linux-x64"))).toBe("dynoxide");
    expect(chooseEngine(machine("darwin", "arm64", undefined, "darwin-arm64"))).toBe("dynoxide");
    expect(chooseEngine(machine("linux", "arm64", 21, "linux-x64"))).toBe("dynamodb-local");
  });

  it.each([
    ["linux", "x64"],
    ["linux", "arm64"],
    ["darwin", "arm64"],
    ["darwin", "x64"],
  ] as const)("is DynamoDB Local on %s-%s without it, where there is Java 17 or newer", (platform, arch) => {
    expect(chooseEngine(machine(platform, arch, 17))).toBe("dynamodb-local");
    expect(chooseEngine(machine(platform, arch, 25))).toBe("dynamodb-local");
  });

  it.each([
    ["linux", "arm64", undefined, /linux-arm64 .* there is no Java\. Install it: sudo apt-get install/],
    ["linux", "x64", 11, /linux-x64 .* this is Java 11\. Install it: sudo apt-get install/],
    [
      "darwin",
      "arm64",
      undefined,
      /darwin-arm64 .* there is no Java\. Install it: brew install --cask temurin$/,
    ],
    ["win32", "x64", undefined, /win32-x64 .* Install it: wsl --install/],
  ] as const)(
    "is none on %s-%s with Java %s, and one sentence says what helps",
    (platform, arch, java, message) => {
      expect(() => chooseEngine(machine(platform, arch, java))).toThrow(message);
    },
  );
});

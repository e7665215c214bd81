/** The environments that are deployed. `local` is this machine. */
export const deployedNames = ["staging", "production"] as const;
export const environmentNames = ["local", ...deployedNames] as const;
export type EnvironmentName = (typeof environmentNames)[number];

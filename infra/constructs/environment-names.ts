/** The environments that can be deployed. `local` is this machine. */
export const environmentNames = ["local", "staging", "production"] as const;
export type EnvironmentName = (typeof environmentNames)[number];

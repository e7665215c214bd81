/** The engines take any credentials; a fixed answer keeps the SDK from looking for real ones. */
export const LOCAL_IDENTITY = {
  credentials: { accessKeyId: "local", secretAccessKey: "local" },
  maxAttempts: 5,
} as const;

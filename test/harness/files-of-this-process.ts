/** How many test files this process has begun; it runs several where they are not isolated. */
export const files = { count: 0 };

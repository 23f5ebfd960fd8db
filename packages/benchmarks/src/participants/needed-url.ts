import type { Target } from "./participant.ts";

export const neededUrl = (name: "redisUrl" | "natsUrl", target: Target): string => {
  const url = target[name];
  if (url === undefined) throw new Error(`This participant needs ${name}`);
  return url;
};

import type { Client } from "./client.ts";

export const stopMails = (queuert: Client) =>
  queuert.pause({ jobTypes: ["send-mail"], note: "the provider is down" });

export const sendMailsAgain = (queuert: Client) => queuert.resume({ jobTypes: ["send-mail"] });

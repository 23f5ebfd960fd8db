// A small application: two job types in two providers, an injected service, and a table of its own.
import { Inject, Injectable } from "@nestjs/common";
import { createInProcessStateAdapter, defineUnionJobTypes, type Queuert } from "queuert";
import { createQueuertDecorators, type ProcessContextOf } from "../src/index.ts";

export const jobTypes = defineUnionJobTypes<{
  mail: { input: { to: string }; output: { sent: string } };
  audit: { input: null; output: null };
}>();
export const openAdapter = () => createInProcessStateAdapter();
export type Adapter = ReturnType<typeof openAdapter>;
export type Client = Queuert<typeof jobTypes, Adapter>;

export const { ProcessJob, InjectQueuert } = createQueuertDecorators<typeof jobTypes, Adapter>();

@Injectable()
export class Mailer {
  readonly sent: string[] = [];
  isOpen = true;

  send(to: string): string {
    if (!this.isOpen) throw new Error("the connection is closed");
    this.sent.push(to);
    return `mail to ${to}`;
  }

  // Nest calls it after `beforeApplicationShutdown` of all providers.
  onApplicationShutdown(): void {
    this.isOpen = false;
  }
}

@Injectable()
export class MailJobs {
  constructor(@Inject(Mailer) readonly mailer: Mailer) {}

  @ProcessJob("mail", { retryConfig: { maxAttempts: 3 } })
  async send({ job, complete }: ProcessContextOf<typeof jobTypes, "mail", Adapter>) {
    return complete({ sent: this.mailer.send(job.input.to) });
  }
}

@Injectable()
export class SignUp {
  constructor(@InjectQueuert() readonly queuert: Client) {}

  async run(to: string): Promise<string> {
    const options = { autocommit: true, typeName: "mail", input: { to } } as const;
    const { id } = await this.queuert.startJobSequence(options);
    return id;
  }
}

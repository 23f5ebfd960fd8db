import "reflect-metadata";
import { Injectable, Module } from "@nestjs/common";
import { createQueuertDecorators, type ProcessContextOf, QueuertModule } from "@queuert/nestjs";
import { createInProcessStateAdapter, defineUnionJobTypes, type Queuert } from "queuert";

const jobTypes = defineUnionJobTypes<{ mail: { input: { to: string }; output: null } }>();
const stateAdapter = createInProcessStateAdapter(); // yours: PostgreSQL, SQLite or MongoDB
type Adapter = typeof stateAdapter;
const { ProcessJob, InjectQueuert } = createQueuertDecorators<typeof jobTypes, Adapter>();

@Injectable()
export class MailJobs {
  readonly sent: string[] = [];

  @ProcessJob("mail", { retryConfig: { maxAttempts: 3 } })
  async send({ job, complete }: ProcessContextOf<typeof jobTypes, "mail", Adapter>) {
    this.sent.push(job.input.to);
    return complete(null);
  }
}

@Injectable()
export class SignUp {
  constructor(@InjectQueuert() readonly queuert: Queuert<typeof jobTypes, Adapter>) {}
}

const client = { stateAdapter, jobTypeDefinitions: jobTypes };
// `worker: false`: this process only starts jobs.
@Module({
  imports: [QueuertModule.forRoot({ client, worker: { concurrency: 10 } })],
  providers: [MailJobs, SignUp],
})
export class AppModule {}

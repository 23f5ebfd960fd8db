import type { Queuert } from "queuert";
import { describe, expectTypeOf, it } from "vitest";
import { type ProcessContextOf, QueuertModule } from "../src/index.ts";
import { type Adapter, jobTypes, openAdapter, ProcessJob } from "./an-application.ts";

type MailContext = ProcessContextOf<typeof jobTypes, "mail", Adapter>;

describe("ProcessJob", () => {
  it("checks the method against its job type", () => {
    class Jobs {
      @ProcessJob("mail")
      async send({ job, complete }: MailContext) {
        expectTypeOf(job.input).toEqualTypeOf<{ to: string }>();
        return complete({ sent: job.input.to });
      }

      // @ts-expect-error no such type
      @ProcessJob("mial")
      async misspelt({ complete }: MailContext) {
        return complete({ sent: "" });
      }

      // @ts-expect-error the context of another type
      @ProcessJob("audit")
      async other({ complete }: MailContext) {
        return complete({ sent: "" });
      }

      // @ts-expect-error nothing is completed
      @ProcessJob("mail")
      async nothing(_context: MailContext) {}

      // @ts-expect-error no such option
      @ProcessJob("mail", { retries: 3 })
      async options({ complete }: MailContext) {
        return complete({ sent: "" });
      }
    }
    void Jobs;
  });

  it("takes the options of a client of these job types", () => {
    const client = { stateAdapter: openAdapter(), jobTypeDefinitions: jobTypes };
    QueuertModule.forRoot({ client, worker: false });
    QueuertModule.forRootAsync({ useFactory: async () => ({ client }) });
    QueuertModule.forRoot({ queuert: {} as Queuert<typeof jobTypes, Adapter> });
    // @ts-expect-error no such option of a worker
    QueuertModule.forRoot({ client, worker: { workers: 3 } });
    // @ts-expect-error not a store
    QueuertModule.forRoot({ client: { ...client, stateAdapter: {} } });
  });
});

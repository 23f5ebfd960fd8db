// An application in a process of its own, until it is told to end.
import "reflect-metadata";
import { Injectable, Module } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { type ProcessContextOf, QUEUERT, QueuertModule } from "../../src/index.ts";
import { type Adapter, type Client, jobTypes, openAdapter, ProcessJob } from "../an-application.ts";

@Injectable()
class AuditJobs {
  @ProcessJob("audit")
  async audit({ complete, signal }: ProcessContextOf<typeof jobTypes, "audit", Adapter>) {
    console.log("running");
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
    console.log(`ended by ${String(signal.reason)}`);
    return complete(null);
  }

  onApplicationShutdown(): void {
    console.log("closed");
  }
}

const client = { stateAdapter: openAdapter(), jobTypeDefinitions: jobTypes };

@Module({
  imports: [QueuertModule.forRoot({ client, worker: { shutdownGraceMs: 50 } })],
  providers: [AuditJobs],
})
class AppModule {}

const app = await NestFactory.createApplicationContext(AppModule, { logger: false });
app.enableShutdownHooks();
const queuert = app.get<Client>(QUEUERT);
await queuert.startJobSequence({ autocommit: true, typeName: "audit", input: null });

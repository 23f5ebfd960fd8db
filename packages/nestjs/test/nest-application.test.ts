import "reflect-metadata";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { Inject, Injectable, Module, type ModuleMetadata, Scope } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { createTestQueuert } from "queuert/test";
import { describe, expect, it } from "vitest";
import {
  type ProcessContextOf,
  QUEUERT,
  QueuertModule,
  QueuertNestScopeError,
  QueuertWorkers,
} from "../src/index.ts";
import {
  type Adapter,
  type Client,
  jobTypes,
  Mailer,
  MailJobs,
  openAdapter,
  ProcessJob,
  SignUp,
} from "./an-application.ts";

const open = async (imports: ModuleMetadata["imports"], providers: ModuleMetadata["providers"]) => {
  @Module({ imports: imports ?? [], providers: providers ?? [] })
  class AppModule {}
  return NestFactory.createApplicationContext(AppModule, { logger: false, abortOnError: false });
};

const clientOptions = () => ({
  stateAdapter: openAdapter(),
  jobTypeDefinitions: jobTypes,
  log: () => undefined,
});

describe("a Nest application", () => {
  it("is of the version that this project names", async () => {
    // The packages of NestJS 11 are CommonJS, which an import sees as a default export.
    const isCommonJs = "default" in (await import("@nestjs/core"));
    expect(isCommonJs ? "11" : "12").toBe(process.env["QUEUERT_NEST_MAJOR"] ?? "12");
  });

  it("runs jobs in the methods of its providers, and stops before connections are closed", async () => {
    const app = await open(
      [QueuertModule.forRoot({ client: clientOptions(), worker: { concurrency: 2 } })],
      [Mailer, MailJobs, SignUp],
    );
    const queuert = app.get<Client>(QUEUERT);
    const id = await app.get(SignUp).run("ada");
    const done = await queuert.waitForJobSequenceCompletion({
      ...{ id, typeName: "mail", timeoutMs: 5_000 },
    });
    expect(done.output).toEqual({ sent: "mail to ada" });
    const mailer = app.get(Mailer);
    expect(mailer.sent).toEqual(["ada"]);
    await app.close();
    expect(mailer.isOpen).toBe(false);
    await expect(app.get(SignUp).run("bob")).rejects.toMatchObject({ code: "QUEUERT_CLOSED" });
  });

  it("waits for a running job before connections are closed", async () => {
    const events: string[] = [];
    let begin: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => (begin = resolve));
    class SlowMailer extends Mailer {
      override onApplicationShutdown(): void {
        events.push("closed");
        super.onApplicationShutdown();
      }
    }
    @Injectable()
    class SlowJobs {
      @ProcessJob("audit")
      async audit({ complete, signal }: ProcessContextOf<typeof jobTypes, "audit", Adapter>) {
        begin();
        // Until `stop` hands out its signal, or the job would never end.
        await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
        events.push("ended");
        return complete(null);
      }
    }
    const app = await open(
      [QueuertModule.forRoot({ client: clientOptions(), worker: { shutdownGraceMs: 50 } })],
      [{ provide: Mailer, useClass: SlowMailer }, SlowJobs],
    );
    const queuert = app.get<Client>(QUEUERT);
    await queuert.startJobSequence({ autocommit: true, typeName: "audit", input: null });
    await begun;
    await app.close();
    expect(events).toEqual(["ended", "closed"]);
  });

  it("takes its options from a factory with injected values", async () => {
    @Module({ providers: [{ provide: "adapter", useFactory: openAdapter }], exports: ["adapter"] })
    class DatabaseModule {}
    const app = await open(
      [
        QueuertModule.forRootAsync({
          imports: [DatabaseModule],
          inject: ["adapter"],
          useFactory: async (stateAdapter: ReturnType<typeof openAdapter>) => ({
            client: { stateAdapter, jobTypeDefinitions: jobTypes },
            worker: false,
          }),
        }),
      ],
      [Mailer, MailJobs, SignUp],
    );
    await app.get(SignUp).run("ada");
    const mailer = app.get(Mailer);
    // This process only starts jobs. A test, or a request, runs them.
    expect(mailer.sent).toEqual([]);
    expect(await app.get(QueuertWorkers).build().drain()).toMatchObject({ completed: 1 });
    expect(mailer.sent).toEqual(["ada"]);
    await app.close();
  });

  it("works with the client of a test, which stays open", async () => {
    const test = await createTestQueuert({ jobTypeDefinitions: jobTypes });
    const { queuert } = test;
    const app = await open([QueuertModule.forRoot({ queuert })], [Mailer, MailJobs, SignUp]);
    const id = await app.get(SignUp).run("ada");
    await queuert.waitForJobSequenceCompletion({ id, typeName: "mail", timeoutMs: 5_000 });
    await app.close();
    expect(await queuert.getJob({ id })).toMatchObject({ status: "completed" });
    await test.close();
  });

  it("runs methods of a base class once, and those of the class itself", async () => {
    @Injectable()
    class PoliteJobs extends MailJobs {
      constructor(@Inject(Mailer) mailer: Mailer) {
        super(mailer);
      }

      override send(context: Parameters<MailJobs["send"]>[0]): ReturnType<MailJobs["send"]> {
        this.mailer.sent.push("dear");
        return super.send(context);
      }
    }
    const aliases = [PoliteJobs, { provide: "alias", useExisting: PoliteJobs }];
    const app = await open(
      [QueuertModule.forRoot({ client: clientOptions(), worker: false })],
      [Mailer, SignUp, ...aliases],
    );
    await app.get(SignUp).run("ada");
    await app.get(QueuertWorkers).build().drain();
    expect(app.get(Mailer).sent).toEqual(["dear", "ada"]);
    await app.close();
  });

  it("refuses providers of requests, two functions of one type, and wrong options", async () => {
    const client = clientOptions();
    const forRoot = () => QueuertModule.forRoot({ client });
    const perRequest = { provide: MailJobs, useClass: MailJobs, scope: Scope.REQUEST };
    await expect(open([forRoot()], [Mailer, perRequest])).rejects.toThrow(QueuertNestScopeError);
    class OtherJobs extends MailJobs {}
    Injectable()(OtherJobs);
    const twice = [MailJobs, { provide: OtherJobs, useFactory: () => new OtherJobs(new Mailer()) }];
    await expect(open([forRoot()], [Mailer, ...twice])).rejects.toMatchObject({
      code: "QUEUERT_DUPLICATE_JOB_TYPE",
    });
    expect(() => QueuertModule.forRoot({})).toThrow("give either `client` or `queuert`");
    expect(() => QueuertModule.forRoot({ client, workers: {} } as never)).toThrow("`workers`");
    const noClient = QueuertModule.forRootAsync({ useFactory: () => ({}) });
    await expect(open([noClient], [])).rejects.toThrow("give either");
  });

  it("ends by itself on SIGTERM", { timeout: 30_000 }, async () => {
    const program = fileURLToPath(new URL("processes/application.ts", import.meta.url));
    const tsx = new URL("../../../node_modules/tsx/dist/loader.mjs", import.meta.url).href;
    const args = ["--conditions=@queuert/source", "--import", tsx, program];
    // The settings of decorators.
    const settings = fileURLToPath(new URL("../tsconfig.test.json", import.meta.url));
    const env = { ...process.env, TSX_TSCONFIG_PATH: settings };
    const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "inherit"] });
    let output = "";
    for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
      output += chunk.toString();
      if (output.includes("running")) child.kill("SIGTERM");
      if (output.includes("closed")) break;
    }
    const [code, signal] = (await once(child, "exit")) as [number | null, string | null];
    expect(output).toBe("running\nended by shutdown\nclosed\n");
    expect(code ?? signal).toBe("SIGTERM");
  });
});

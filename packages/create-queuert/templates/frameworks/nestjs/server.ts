import "reflect-metadata";
import { Body, Controller, Injectable, Module, Post } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { createQueuertDecorators, type ProcessContextOf, QueuertModule } from "@queuert/nestjs";
import { openDatabase, type StateAdapter } from "./jobs/database.ts";
import { jobTypes } from "./jobs/job-types.ts";
import { type Client, signUp, welcome } from "./jobs/welcome.ts";

const { ProcessJob, InjectQueuert } = createQueuertDecorators<typeof jobTypes, StateAdapter>();

@Injectable()
class WelcomeJobs {
  @ProcessJob("welcome")
  welcome(context: ProcessContextOf<typeof jobTypes, "welcome", StateAdapter>) {
    return welcome(context);
  }
}

@Controller("users")
class UsersController {
  constructor(@InjectQueuert() private readonly queuert: Client) {}

  @Post()
  async create(@Body() body: { email: string }) {
    const { id } = await signUp(this.queuert, body.email);
    return { job: id };
  }
}

const database = await openDatabase("app");
const client = { stateAdapter: database.stateAdapter, jobTypeDefinitions: jobTypes };

@Module({
  imports: [QueuertModule.forRoot({ client, worker: { concurrency: 10 } })],
  controllers: [UsersController],
  providers: [WelcomeJobs],
})
class AppModule {
  // After the worker has stopped.
  onApplicationShutdown = () => database.close();
}

const app = await NestFactory.create(AppModule);
app.enableShutdownHooks();
await app.listen(Number(process.env["PORT"] ?? 3000));

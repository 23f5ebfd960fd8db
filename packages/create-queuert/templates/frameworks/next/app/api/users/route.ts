import { getQueuert } from "../../../lib/queuert";
import { signUp } from "../../../jobs/welcome";

export const POST = async (request: Request) => {
  const { email } = (await request.json()) as { email: string };
  const { queuert } = await getQueuert();
  const { id } = await signUp(queuert, email);
  return Response.json({ job: id });
};

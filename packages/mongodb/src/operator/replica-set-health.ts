// The members of a replica set: each write of Queuert waits for a majority of them.
import { duration, type StoreFinding } from "queuert/internal";

/** The parts of the reply to `replSetGetStatus` that are read. */
export interface MemberSet {
  readonly members: readonly {
    readonly name: string;
    readonly health: number;
    readonly stateStr: string;
  }[];
  readonly majorityVoteCount?: number;
  readonly writableVotingMembersCount?: number;
  readonly writeMajorityCount?: number;
  readonly optimes?: {
    readonly lastCommittedWallTime?: Date;
    readonly lastAppliedWallTime?: Date;
  };
}

const wellStates: ReadonlySet<string> = new Set(["PRIMARY", "SECONDARY", "ARBITER"]);

/** A majority that is further behind makes every start and completion slow. */
const lagMs = 10_000;

export const setFindings = (set: MemberSet): readonly StoreFinding[] => [
  ...memberFindings(set),
  ...spareFindings(set),
  ...lagFindings(set),
];

const memberFindings = ({ members }: MemberSet): readonly StoreFinding[] =>
  members
    .filter(({ health, stateStr }) => health !== 1 || !wellStates.has(stateStr))
    .map(({ name, stateStr }) => ({
      level: "warn",
      text: `the member ${name} is ${stateStr}: bring it back before another one is lost`,
    }));

/** With an arbiter, members can be lost whose votes still make a majority, and writes then wait without an end. */
const spareFindings = ({
  members,
  writeMajorityCount: needed,
  writableVotingMembersCount: present,
}: MemberSet): readonly StoreFinding[] =>
  members.some(({ stateStr }) => stateStr === "ARBITER") &&
  needed !== undefined &&
  present !== undefined &&
  needed >= present
    ? [
        {
          level: "warn",
          text: `each write waits for all ${present} members with data: without one of them jobs stand still, so replace the arbiter by a member with data`,
        },
      ]
    : [];

const lagFindings = ({ optimes }: MemberSet): readonly StoreFinding[] => {
  const { lastCommittedWallTime: committed, lastAppliedWallTime: applied } = optimes ?? {};
  const behindMs = (applied?.getTime() ?? 0) - (committed?.getTime() ?? 0);
  if (committed === undefined || applied === undefined || behindMs < lagMs) return [];
  const text = `the majority is ${duration(behindMs)} behind the primary: each write waits for it; look at the network and the disks of the secondaries`;
  return [{ level: "warn", text }];
};

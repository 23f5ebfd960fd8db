export default {
  serverExternalPackages: ["queuert", "@queuert/mongodb", "@queuert/postgres", "@queuert/sqlite"],
};

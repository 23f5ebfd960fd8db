export default { serverExternalPackages: ["queuert"] };

export default function Page() {
  return <p>queuert</p>;
}

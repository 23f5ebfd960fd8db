export default function Page() {
  return <p>POST an email to /api/users: it starts a job.</p>;
}

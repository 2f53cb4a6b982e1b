import { Start } from "@/components/console/start";

export default function Page() {
  return <Start />;
}
